import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { lossTrees } from '../../../src/backend/local/loss-tree.js';
import { microBatches } from '../../../src/backend/local/micro-batch.js';
import type { ModelShape } from '../../../src/backend/local/model-shape.js';
import { allocateSharedModel, WorkerPool } from '../../../src/backend/local/worker-pool.js';
import type { WorkerSetup } from '../../../src/backend/local/worker-protocol.js';
import type { Loss } from '../../../src/backend/loss.js';
import type { RllmError } from '../../../src/errors.js';
import { stream } from '../../../src/random.js';

const SHAPE: ModelShape = {
  vocabularySize: 9,
  dModel: 16,
  nLayers: 1,
  nHeads: 2,
  dFf: 32,
  contextLength: 40,
};
const LOSS: Loss = { name: 'cross_entropy' };
const ADAM = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0, maxGradNorm: 1 };

const pools: WorkerPool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.terminate()));
});

function newSetup(): WorkerSetup {
  const words = Array.from({ length: SHAPE.vocabularySize }, (_, i) => String(i));
  return {
    shape: SHAPE,
    words,
    separator: ' ',
    endOfTurn: undefined,
    seed: 1,
    memory: allocateSharedModel(SHAPE),
    frozen: {},
  };
}

function newPool(
  setup: WorkerSetup,
  count: number,
  failed: (error: RllmError) => void = () => {},
): WorkerPool {
  const pool = new WorkerPool(setup, count, { sampled() {}, failed }, 0);
  pools.push(pool);
  return pool;
}

test('workers that share a gradient get the sum that one worker gets, to the last bit', async () => {
  const random = stream(1, 'rows');
  const rows = Array.from({ length: 100 }, () => {
    const tokens = Array.from({ length: 30 }, () => random.int(9));
    const sampled = tokens.map((): 0 | 1 => 1);
    const row = {
      tokens,
      targets: [...tokens.slice(1), 0],
      logprobs: tokens.map(() => -2),
      sampled,
      spans: [],
    };
    return { row, loss: LOSS, advantages: Float64Array.from(tokens, () => random.normal()) };
  });
  const batches = lossTrees(rows).flatMap((tree) => microBatches(tree, SHAPE.vocabularySize));
  expect(batches.length).toBeGreaterThan(8);
  const trainWith = async (workers: number): Promise<unknown> => {
    const setup = newSetup();
    const pool = newPool(setup, workers);
    await pool.initialize();
    const steps: unknown[] = [];
    for (let step = 1; step <= 3; step++) {
      await pool.refresh(step);
      steps.push(await pool.step(batches, 1 / 3000, { ...ADAM, step }));
    }
    return { steps, weights: [...new Float32Array(setup.memory.weights)] };
  };
  const alone = await trainWith(1);
  expect(await trainWith(2)).toEqual(alone);
  expect(await trainWith(4)).toEqual(alone);
});

test('a worker that breaks ends every call with an error, later ones too', async () => {
  const { memory, ...setup } = newSetup();
  const failures: RllmError[] = [];
  const pool = newPool({ ...setup, memory: { ...memory, weights: new SharedArrayBuffer(3) } }, 2, (error) =>
    failures.push(error),
  );
  const failed = expect.objectContaining({ code: 'BACKEND_FAILED' });
  const outcomes = await Promise.allSettled([pool.initialize(), pool.refresh(0)]);
  expect(outcomes).toEqual([
    { status: 'rejected', reason: failed },
    { status: 'rejected', reason: failed },
  ]);
  await expect(pool.refresh(1)).rejects.toEqual(failed);
  expect(failures).toContainEqual(failed);
});

test('idle workers do not keep the program alive', async () => {
  const program = `
    import { localBackend } from './dist/backend/local/index.js';
    const words = ['<bos>', 'a'];
    const { value } = await localBackend.options['~standard'].validate({ vocabulary: { words, bos: '<bos>' } });
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const config = { trainer: { seed: 1 }, algorithm: {} };
    const backend = localBackend.create(value, { config, logger, signal: new AbortController().signal });
    await backend.start();
    const identity = { mode: 'train', step: 1, taskId: 't', rolloutIndex: 0, attempt: 1, call: 0 };
    const sampling = { temperature: 1, topP: 1, maxTokens: 3 };
    const { completionIds } = await backend.rolloutEngine.getModelResponse({ messages: [], sampling, identity });
    console.log(completionIds.length);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('3\n');
});
