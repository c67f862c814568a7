import { defaultDevice, init } from '@jax-js/jax';
import { beforeAll, expect, test } from 'vitest';
import type { CriticSettings } from '../../../src/backend/local/critic.js';
import { createGradientProgram } from '../../../src/backend/local/gradient.js';
import { initializeWeights } from '../../../src/backend/local/initial-weights.js';
import { addLossSums, NO_LOSS_SUMS } from '../../../src/backend/local/loss-sums.js';
import { lossTrees } from '../../../src/backend/local/loss-tree.js';
import { microBatches } from '../../../src/backend/local/micro-batch.js';
import { type ModelShape, modelParameters, parameterCount } from '../../../src/backend/local/model-shape.js';
import { loadWeights } from '../../../src/backend/local/transformer.js';
import type { Loss } from '../../../src/backend/loss.js';
import type { TrainingRow } from '../../../src/backend/trajectory-rows.js';
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
function someWeights(shape: ModelShape = SHAPE): Float32Array {
  const weights = new Float32Array(parameterCount(shape));
  initializeWeights(shape, 5, weights);
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
  expectSameGradient(SHAPE, gradient, reference.gradient, trained);
});

/** Compares the gradients of every tensor, per trained token. */
function expectSameGradient(
  shape: ModelShape,
  found: Float32Array,
  exact: Float64Array,
  trained: number,
): void {
  for (const { name, offset, size } of modelParameters(shape)) {
    let worst = 0;
    let largest = 0;
    for (let i = offset; i < offset + size; i++) {
      const expected = (exact[i] as number) / trained;
      largest = Math.max(largest, Math.abs(expected));
      worst = Math.max(worst, Math.abs((found[i] as number) / trained - expected));
    }
    expect(largest, `${name} has a gradient`).toBeGreaterThan(1e-4);
    expect(worst, `error of ${name}`).toBeLessThan(1e-6);
  }
}

const WITH_CRITIC: ModelShape = { ...SHAPE, valueHead: true };

test.each<CriticSettings>([
  { coefficient: 0.5, detach: false, clip: null },
  { coefficient: 0.4, detach: false, clip: 0.3 },
  { coefficient: 0.5, detach: true, clip: null },
])('the gradient of the critic is that of a hand-written backpropagation: %o', (critic) => {
  const flat = someWeights(WITH_CRITIC);
  const reference = new ReferenceModel(WITH_CRITIC, flat);
  const random = stream(7, 'returns');
  const loss: Loss = { name: 'ppo', low: 0.8, high: 1.2 };
  // Rows without advantages too, which teach the critic alone; values before the update up to 0.5 away.
  const rows = someRows(reference).map(({ row, advantages }, i) => {
    const known = reference
      .valuesOf(row.tokens)
      .map((value) => ({ target: i % 3, before: Math.fround(value + random.next() - 0.5) }));
    return { row, advantages: i % 4 === 0 ? advantages.map(() => 0) : advantages, known };
  });
  const trained = rows.reduce((sum, { row }) => sum + row.sampled.filter((mask) => mask === 1).length, 0);
  let expectedLoss = 0;
  for (const { row, advantages, known } of rows) {
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
        values: row.sampled.map((mask, t) => (mask === 1 ? known[t] : undefined)),
      },
      loss,
      critic,
    );
  }
  const trees = lossTrees(
    rows.map(({ row, advantages, known }) => ({
      row,
      loss,
      advantages,
      returns: {
        targets: Float64Array.from(known, ({ target }) => target),
        before: Float64Array.from(known, ({ before }) => before),
      },
    })),
    critic.clip !== null,
  );
  const gradient = new Float32Array(flat.length);
  const program = createGradientProgram(WITH_CRITIC, critic);
  const weights = loadWeights(WITH_CRITIC, flat);
  const sums = trees
    .flatMap((tree) => microBatches(tree, SHAPE.vocabularySize, true))
    .map((batch) => program.add(weights, flat, batch, gradient))
    .reduce(addLossSums, NO_LOSS_SUMS);

  expect(sums.valueTokens).toBe(trained);
  const total = sums.loss + critic.coefficient * sums.valueLoss;
  expect(total / trained).toBeCloseTo(expectedLoss / trained, 5);
  expectSameGradient(WITH_CRITIC, gradient, reference.gradient, trained);
});

test('the hand-written backpropagation is the slope of its own loss', () => {
  const flat = Float64Array.from(someWeights(WITH_CRITIC));
  const critic: CriticSettings = { coefficient: 0.7, detach: false, clip: 0.5 };
  const loss: Loss = { name: 'dro', beta: 0.05 };
  const row = {
    tokens: [1, 4, 2, 7],
    targets: [4, 2, 7, 3],
    sampledLogprobs: [0, -2, -2.5, -1.5],
    weights: [undefined, ...[0.7, 0.2, 0.4].map((positive) => ({ positive, negative: -0.3, count: 2 }))],
    values: [undefined, ...[-1, 0, 1].map((before) => ({ target: 2, before }))],
  };
  const model = new ReferenceModel(WITH_CRITIC, flat);
  model.addGradient(row, loss, critic);
  const lossAt = (): number => new ReferenceModel(WITH_CRITIC, flat).addGradient(row, loss, critic);
  for (const { name, offset, size } of modelParameters(WITH_CRITIC)) {
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
