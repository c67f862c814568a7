import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import type { LocalBackend } from '../../../src/backend/local/local-backend.js';
import type { RowBatch } from '../../../src/backend/row-batch.js';
import type { ModelCall } from '../../../src/rollout/index.js';
import type { Metrics, ModelOutput } from '../../../src/types/index.js';
import { createLocal, group, rawOptions, step, trainerState, trajectory } from './build-local.js';
import { asTrajectory, call, newFolder, savedBytes, start, update } from './local-runs.js';

/** A task that can be learned: of the three words of a reply, as many as possible should be "c". */
async function trainStep(
  backend: LocalBackend,
  at: number,
  rollouts = 32,
  sampling = { temperature: 1, topP: 1, maxTokens: 3 },
): Promise<Metrics> {
  const outputs = await Promise.all(
    Array.from({ length: rollouts }, (_, rolloutIndex) =>
      backend.rolloutEngine.getModelResponse(call({ rolloutIndex, step: at, sampling })),
    ),
  );
  const rewards = outputs.map(({ text }) => text.split(' ').filter((word) => word === 'c').length / 3);
  const mean = rewards.reduce((a, b) => a + b, 0) / rollouts;
  const trajectories = outputs.map((output, i) => asTrajectory(output, (rewards[i] as number) - mean));
  const metrics = await update(backend, trainerState(at, [group('solver', trajectories)]));
  return { ...metrics, reward: mean };
}

async function run(backend: LocalBackend, from: number, to: number): Promise<Metrics[]> {
  const metrics: Metrics[] = [];
  for (let at = from; at <= to; at++) metrics.push(await trainStep(backend, at));
  return metrics;
}

test('it learns from rewards', async () => {
  const metrics = await run(await start(), 1, 40);
  expect(metrics[0]?.['reward']).toBeLessThan(0.3);
  expect(metrics.at(-1)?.['reward']).toBeGreaterThan(0.9);
});

test('a reply carries the tokens, log-probs and weights that training needs', async () => {
  const backend = await start();
  const output = await backend.rolloutEngine.getModelResponse(call());
  expect(output.promptIds).toEqual([0, 1, 2]);
  expect(output.completionIds).toHaveLength(3);
  expect(output.text).toBe(output.completionIds.map((id) => backend.tokens.decode(id)).join(' '));
  expect(output).toMatchObject({ finishReason: 'length', weightVersion: 0 });
  const metrics = await update(backend, trainerState(1, [group('solver', [asTrajectory(output, 1)])]));
  expect(metrics['train/kl_sample_train_v1']).toBeLessThan(2e-6);
  expect(metrics['train/entropy']).toBeCloseTo(-output.logprobs.reduce((a, b) => a + b) / 3, 10);
  expect(backend.weightVersion).toBe(1);
  expect(await backend.rolloutEngine.getModelResponse(call())).toMatchObject({ weightVersion: 1 });
});

test('the loss is a mean over the sampled tokens of all trajectories, those without advantage too', async () => {
  const backend = await start({ lossFn: 'cross_entropy' });
  const outputs = await Promise.all(
    [0, 1].map((rolloutIndex) => backend.rolloutEngine.getModelResponse(call({ rolloutIndex }))),
  );
  const [first, second] = outputs as [ModelOutput, ModelOutput];
  const groups = [
    group('solver', [asTrajectory(first, 2), asTrajectory(second, 0), asTrajectory(first, -0.5)]),
  ];
  const metrics = await update(backend, trainerState(1, groups));
  expect(metrics['train/loss']).toBeCloseTo((-1.5 * first.logprobs.reduce((a, b) => a + b)) / 9, 5);
});

test('the same seed gives the same numbers to the last bit, whatever the number of workers; another seed others', async () => {
  const settings = { miniBatches: 2, updateEpochs: 2 };
  const [two, again, one, three, other] = await Promise.all([
    start(settings),
    start(settings),
    start(settings, rawOptions({ workers: 1 })),
    start(settings, rawOptions({ workers: 3 })),
    start(settings, rawOptions(), 2),
  ]);
  const metrics = await run(two, 1, 4);
  const bytes = await savedBytes(two);
  for (const backend of [again, one, three]) {
    expect(await run(backend, 1, 4)).toEqual(metrics);
    expect(await savedBytes(backend)).toEqual(bytes);
  }
  expect(two.weightVersion).toBe(16);
  expect(await run(other, 1, 4)).not.toEqual(metrics);
});

test('a run that goes on from a checkpoint is the run that never stopped', async () => {
  const through = await start();
  await run(through, 1, 3);
  const folder = await newFolder();
  await through.saveCheckpoint(folder);
  const expected = await run(through, 4, 6);
  const resumed = await start({}, rawOptions(), 1);
  await resumed.loadCheckpoint(folder);
  expect(resumed.weightVersion).toBe(3);
  expect(await run(resumed, 4, 6)).toEqual(expected);
  expect(await savedBytes(resumed)).toEqual(await savedBytes(through));
});

test('a checkpoint that is damaged or of another model is refused, and changes nothing', async () => {
  const backend = await start();
  await run(backend, 1, 2);
  const bytes = await savedBytes(backend);
  const saved = async (): Promise<string> => {
    const folder = await newFolder();
    await (await start()).saveCheckpoint(folder);
    return folder;
  };
  const refused = expect.objectContaining({ code: 'CHECKPOINT_INVALID' });
  await expect(backend.loadCheckpoint(await newFolder())).rejects.toEqual(refused);
  const cut = await saved();
  await truncate(join(cut, 'second_moment.safetensors'), 1000);
  await expect(backend.loadCheckpoint(cut)).rejects.toEqual(refused);
  const garbled = await saved();
  await writeFile(join(garbled, 'local-backend.json'), '{');
  await expect(backend.loadCheckpoint(garbled)).rejects.toEqual(refused);
  const wider = await start({}, rawOptions({ model: { dModel: 32, nHeads: 2, contextLength: 12 } }));
  await expect(wider.loadCheckpoint(await saved())).rejects.toEqual(
    expect.objectContaining({ code: 'CHECKPOINT_INVALID', message: expect.stringContaining('dModel') }),
  );
  expect(await savedBytes(backend)).toEqual(bytes);
  expect(backend.weightVersion).toBe(2);
});

test('trajectories that cannot be trained on are named, and left out', async () => {
  const backend = await start();
  const output = await backend.rolloutEngine.getModelResponse(call());
  const bare = trajectory(step({ promptIds: [0], responseIds: [1] }));
  const foreign = trajectory(step({ promptIds: [0], responseIds: [99], logprobs: [-1] }));
  const sound = asTrajectory(output, 1);
  expect([bare, foreign, sound].map((one) => backend.trajectoryFault(one))).toEqual([
    'logprobs_missing',
    'token_unknown',
    undefined,
  ]);
  expect(await update(backend, trainerState(1, [group('solver', [bare])]))).toEqual({});
  expect(backend.weightVersion).toBe(0);
  expect(await update(backend, trainerState(1, [group('solver', [bare, sound, foreign])]))).toMatchObject({
    'batch/steps_per_traj/mean': 1,
    'batch/step_response_length/max': 3,
    'batch/action_token_ratio/min': 1,
    'batch/merge_compression_ratio': 1,
    'optim/steps': 1,
  });
});

test('roles with losses of their own are trained in one optimiser step', async () => {
  const backend = await start({ lossFnMap: { judge: 'dro' } });
  const outputs = await Promise.all(
    [0, 1].map((rolloutIndex) => backend.rolloutEngine.getModelResponse(call({ rolloutIndex }))),
  );
  const [first, second] = outputs as [ModelOutput, ModelOutput];
  const groups = [group('solver', [asTrajectory(first, 1)]), group('judge', [asTrajectory(second, -1)])];
  const metrics = await update(backend, trainerState(1, groups));
  const judged = second.logprobs.reduce((a, b) => a + b);
  expect(metrics['train/loss']).toBeCloseTo((-3 + judged) / 6, 5);
  expect(backend.weightVersion).toBe(1);
});

test('the learning rate follows its schedule by training step', async () => {
  const backend = await start({
    lrSchedule: 'linear',
    warmupStepsRatio: 0.2,
    learningRate: 1,
    updateEpochs: 2,
  });
  const output = await backend.rolloutEngine.getModelResponse(call());
  const rates: (number | undefined)[] = [];
  for (const at of [1, 2, 6, 10]) {
    const metrics = await update(backend, trainerState(at, [group('solver', [asTrajectory(output, 0)])], 10));
    rates.push(metrics['optim/lr']);
  }
  expect(rates).toEqual([0.5, 1, 0.5, 0]);
});

test('a gradient that is not finite stops the run and leaves the weights', async () => {
  const backend = await start();
  const bytes = await savedBytes(backend);
  const output = await backend.rolloutEngine.getModelResponse(call());
  const state = trainerState<RowBatch>(1, [group('solver', [asTrajectory(output, Number.MAX_VALUE)])]);
  await expect(update(backend, state)).rejects.toMatchObject({ code: 'BACKEND_FAILED' });
  expect(await savedBytes(backend)).toEqual(bytes);
});

test('a prompt that leaves no room is an error, one that leaves little gets a shorter reply', async () => {
  const { rolloutEngine } = await start();
  const content = (words: number): ModelCall['messages'] => [{ role: 'user', content: 'a '.repeat(words) }];
  await expect(rolloutEngine.getModelResponse(call({ messages: content(11) }))).rejects.toMatchObject({
    code: 'PROMPT_TOO_LONG',
  });
  const short = await rolloutEngine.getModelResponse(call({ messages: content(10) }));
  expect(short.completionIds).toHaveLength(1);
  await expect(
    rolloutEngine.getModelResponse(call({ messages: [{ role: 'user', content: 'z' }] })),
  ).rejects.toMatchObject({
    code: 'TOKEN_UNKNOWN',
  });
});

test('an aborted call ends at once, before or after it is sent', async () => {
  const { rolloutEngine } = await start();
  const controller = new AbortController();
  const unsent = rolloutEngine.getModelResponse(call({ signal: controller.signal }));
  controller.abort();
  await expect(unsent).resolves.toMatchObject({ finishReason: 'abort', completionIds: [] });
  await expect(rolloutEngine.getModelResponse(call({ signal: controller.signal }))).resolves.toMatchObject({
    finishReason: 'abort',
  });
  const later = new AbortController();
  const sent = rolloutEngine.getModelResponse(call({ signal: later.signal }));
  setImmediate(() => setImmediate(() => later.abort()));
  expect(['abort', 'length']).toContain((await sent).finishReason);
});

test('shutting down ends every call with an error, during the start too, and twice does no harm', async () => {
  const backend = await start();
  const replies = Array.from({ length: 20 }, (_, rolloutIndex) =>
    backend.rolloutEngine.getModelResponse(call({ rolloutIndex })),
  );
  const outcomes = Promise.allSettled(replies);
  await backend.shutdown();
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'BACKEND_FAILED' } });
  }
  await backend.shutdown();
  await expect(backend.rolloutEngine.getModelResponse(call())).rejects.toMatchObject({
    code: 'BACKEND_FAILED',
  });
  const early = await createLocal();
  const starting = expect(early.start()).rejects.toMatchObject({ code: 'BACKEND_FAILED' });
  await early.shutdown();
  await starting;
});

test('the event loop of the main thread goes on while it trains', async () => {
  const model = { dModel: 64, nLayers: 2, nHeads: 4, contextLength: 12 };
  // With weights that stay what they are, rollouts share no more of their tokens from step to step.
  const backend = await start({ learningRate: 1e-9 }, rawOptions({ model }));
  const sampling = { temperature: 1, topP: 1, maxTokens: 9 };
  const worstDelayMs = async (at: number): Promise<number> => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const metrics = await trainStep(backend, at, 256, sampling);
    delay.disable();
    expect(metrics['batch/contexts']).toBeGreaterThan(1000);
    return delay.max / 1e6;
  };
  // The best of several steps, since other programs may hold the machine for a moment. One such step computes for longer than 100 ms.
  const delays: number[] = [];
  for (let at = 1; at <= 6 && !delays.some((delay) => delay < 50); at++) delays.push(await worstDelayMs(at));
  expect(Math.min(...delays)).toBeLessThan(50);
});
