import { defaultDevice, init } from '@jax-js/jax';
import { beforeAll, expect, test } from 'vitest';
import { createGradientProgram } from '../../../src/backend/local/gradient.js';
import { initializeWeights } from '../../../src/backend/local/initial-weights.js';
import type { Loss } from '../../../src/backend/local/loss.js';
import { lossTrees } from '../../../src/backend/local/loss-tree.js';
import { microBatches } from '../../../src/backend/local/micro-batch.js';
import { type ModelShape, modelParameters, parameterCount } from '../../../src/backend/local/model-shape.js';
import type { TrainingRow } from '../../../src/backend/local/trajectory-rows.js';
import { loadWeights } from '../../../src/backend/local/transformer.js';
import { stream } from '../../../src/random.js';
import { ReferenceModel } from './reference-model.js';

const SHAPE: ModelShape = {
  vocabularySize: 11,
  dModel: 12,
  nLayers: 2,
  nHeads: 3,
  dFf: 20,
  contextLength: 9,
};

const LOSSES: readonly Loss[] = [
  { name: 'importance_sampling' },
  { name: 'ppo', low: 0.8, high: 1.2 },
  { name: 'cispo', low: 0.7, high: 1.3 },
  { name: 'dro', beta: 0.05 },
  { name: 'cross_entropy' },
];

beforeAll(async () => {
  await init('wasm');
  defaultDevice('wasm');
});

/** Weights larger than at the start, so that no tensor's gradient is lost in the others'. */
function someWeights(): Float32Array {
  const weights = new Float32Array(parameterCount(SHAPE));
  initializeWeights(SHAPE, 5, weights);
  const random = stream(5, 'perturbation');
  return weights.map((value) => value + 0.2 * random.normal());
}

/** Rows of all lengths up to 8 that share many beginnings, about half of their tokens trained, sampled by policies up to 40 % away. */
function someRows(model: ReferenceModel): { row: TrainingRow; advantages: Float64Array }[] {
  const random = stream(6, 'rows');
  return Array.from({ length: 120 }, (_, i) => {
    const length = 1 + (i % 8);
    const tokens = [0, ...Array.from({ length }, () => random.int(3))].slice(0, length);
    const targets = [...tokens.slice(1), random.int(SHAPE.vocabularySize)];
    const sampled = tokens.map((): 0 | 1 => (random.next() < 0.6 ? 1 : 0));
    const exact = model.logprobs(tokens);
    const logprobs = targets.map((target, t) =>
      sampled[t] === 1 ? Math.fround((exact[t]?.[target] as number) + 0.8 * (random.next() - 0.5)) : 0,
    );
    const advantages = Float64Array.from(sampled, (mask) => mask * Math.fround(random.normal()));
    return { row: { tokens, targets, logprobs, sampled, spans: [] }, advantages };
  });
}

test.each(LOSSES)('the gradient of every tensor is that of a hand-written backpropagation: $name', (loss) => {
  const flat = someWeights();
  const reference = new ReferenceModel(SHAPE, flat);
  const rows = someRows(reference);
  const trained = rows.reduce((sum, { row }) => sum + row.sampled.filter((mask) => mask === 1).length, 0);
  let expectedLoss = 0;
  for (const { row, advantages } of rows) {
    expectedLoss += reference.addGradient(
      {
        tokens: row.tokens,
        targets: row.targets,
        sampledLogprobs: row.logprobs,
        weights: row.sampled.map((mask, t) => {
          const advantage = advantages[t] as number;
          return mask === 1
            ? { positive: Math.max(advantage, 0), negative: Math.min(advantage, 0), count: 1 }
            : undefined;
        }),
      },
      loss,
    );
  }

  const program = createGradientProgram(SHAPE);
  const weights = loadWeights(SHAPE, flat);
  const gradient = new Float32Array(flat.length);
  const batches = lossTrees(rows.map((row) => ({ ...row, loss }))).flatMap((tree) =>
    microBatches(tree, SHAPE.vocabularySize),
  );
  const sums = batches.map((batch) => program.add(weights, flat, batch, gradient));

  expect(batches.length).toBeGreaterThan(1);
  expect(sums.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(trained);
  expect(sums.reduce((sum, part) => sum + part.loss, 0) / trained).toBeCloseTo(expectedLoss / trained, 5);
  for (const { name, offset, size } of modelParameters(SHAPE)) {
    let worst = 0;
    let largest = 0;
    for (let i = offset; i < offset + size; i++) {
      const expected = (reference.gradient[i] as number) / trained;
      largest = Math.max(largest, Math.abs(expected));
      worst = Math.max(worst, Math.abs((gradient[i] as number) / trained - expected));
    }
    expect(largest, `${name} has a gradient`).toBeGreaterThan(1e-4);
    expect(worst, `error of ${name}`).toBeLessThan(1e-6);
  }
});

test('the hand-written backpropagation is the slope of its own loss', () => {
  const flat = Float64Array.from(someWeights());
  const loss: Loss = { name: 'dro', beta: 0.05 };
  const row = {
    tokens: [1, 4, 2, 7],
    targets: [4, 2, 7, 3],
    sampledLogprobs: [0, -2, -2.5, -1.5],
    weights: [undefined, ...[0.7, 0.2, 0.4].map((positive) => ({ positive, negative: -0.3, count: 2 }))],
  };
  const model = new ReferenceModel(SHAPE, flat);
  model.addGradient(row, loss);
  const lossAt = (): number => new ReferenceModel(SHAPE, flat).addGradient(row, loss);
  for (const { name, offset, size } of modelParameters(SHAPE)) {
    const at = offset + Math.floor(size / 3);
    const kept = flat[at] as number;
    flat[at] = kept + 1e-5;
    const above = lossAt();
    flat[at] = kept - 1e-5;
    const slope = (above - lossAt()) / 2e-5;
    flat[at] = kept;
    expect(model.gradient[at], name).toBeCloseTo(slope, 7);
  }
});
