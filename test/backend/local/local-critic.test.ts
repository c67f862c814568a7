import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AdvantageBatch, collectRewardsAndAdvantages } from '../../../src/advantage/index.js';
import type { LocalBackend } from '../../../src/backend/local/local-backend.js';
import { parameterCount } from '../../../src/backend/local/model-shape.js';
import { decodeSafetensors } from '../../../src/backend/local/safetensors.js';
import type { RowBatch } from '../../../src/backend/row-batch.js';
import type { Metrics, Step, Trajectory, TrajectoryGroup } from '../../../src/types/index.js';
import { ALGORITHM, group, rawOptions, trainerState, trajectory } from './build-local.js';
import { asTrajectory, call, newFolder, savedBytes, start, update } from './local-runs.js';
import { ReferenceModel } from './reference-model.js';

const SHAPE = {
  vocabularySize: 10,
  dModel: 16,
  nLayers: 1,
  nHeads: 2,
  dFf: 64,
  contextLength: 12,
  valueHead: true as const,
};

const startWithCritic = (
  raw: Record<string, unknown> = rawOptions(),
  algorithm: Parameters<typeof start>[0] = {},
): Promise<LocalBackend> => start(algorithm, raw, 1, ['values', 'referenceLogprobs']);

/** The model as the naive one, from a checkpoint. */
async function naiveModel(backend: LocalBackend): Promise<ReferenceModel> {
  const [file] = await savedBytes(backend);
  const { tensors } = decodeSafetensors(file as Uint8Array, 'weights');
  const flat = [...tensors.values()].flatMap(({ data }) => [...data]);
  expect(flat).toHaveLength(parameterCount(SHAPE));
  return new ReferenceModel(SHAPE, flat);
}

/** A one-step estimator per token that needs nothing but values: GAE with γ = λ = 1 and the reward at the end. */
const tinyGae = {
  requires: new Set(['values'] as const),
  estimate: ({ rewards, groups }: AdvantageBatch) => {
    const perToken = (of: (reward: number, value: number) => number): number[][][] =>
      groups.map(({ trajectories }, g) =>
        trajectories.map(({ steps }, i) =>
          steps.flatMap(({ values = [] }) => values.map((value) => of(rewards[g]?.[i] as number, value))),
        ),
      );
    return { advantages: perToken((reward, value) => reward - value), returns: perToken((reward) => reward) };
  },
};

/** A bandit of two arms among ten words: "c" always pays, "d" half of the time. */
async function banditStep(backend: LocalBackend, at: number, rollouts = 16): Promise<Metrics> {
  const sampling = { temperature: 1, topP: 1, maxTokens: 1 };
  const outputs = await Promise.all(
    Array.from({ length: rollouts }, (_, rolloutIndex) =>
      backend.rolloutEngine.getModelResponse(call({ rolloutIndex, step: at, sampling })),
    ),
  );
  const trajectories = outputs.map((output, i): Trajectory => {
    const { text } = output;
    const reward = text === 'c' || (text === 'd' && i % 2 === 0) ? 1 : 0;
    return { ...asTrajectory(output, 0), reward };
  });
  const groups = [group('solver', trajectories)];
  const state = trainerState<RowBatch>(at, groups);
  state.backendBatch = backend.transformToBackendBatch(state);
  const metrics = await backend.processBatch(state);
  collectRewardsAndAdvantages(groups, ALGORITHM, { registry: { get: () => tinyGae } });
  const reward = trajectories.reduce((sum, one) => sum + (one.reward ?? 0), 0) / rollouts;
  return { ...metrics, ...(await backend.updatePolicy(state)), reward };
}

async function bandit(backend: LocalBackend, from: number, to: number): Promise<Metrics[]> {
  const metrics: Metrics[] = [];
  for (let at = from; at <= to; at++) metrics.push(await banditStep(backend, at));
  return metrics;
}

/** Trajectories of two steps each: the second prompt goes on from the first reply, so that both are one row. */
async function conversations(backend: LocalBackend, count: number): Promise<TrajectoryGroup> {
  const trajectories = Array.from({ length: count }, async (_, rolloutIndex): Promise<Trajectory> => {
    const first = await backend.rolloutEngine.getModelResponse(call({ rolloutIndex }));
    const messages = [{ role: 'user' as const, content: `a b ${first.text} i` }];
    const second = await backend.rolloutEngine.getModelResponse(call({ rolloutIndex, messages }));
    const steps = [first, second].flatMap((output) => asTrajectory(output, 0.5).steps);
    return { ...trajectory(...steps), reward: rolloutIndex % 2 };
  });
  return group('solver', await Promise.all(trajectories));
}

test('values of every token of every step are those of a naive forward pass over what came before', async () => {
  const backend = await startWithCritic();
  await bandit(backend, 1, 5);
  const naive = await naiveModel(backend);
  const conversation = await conversations(backend, 6);
  const state = trainerState<RowBatch>(6, [conversation]);
  state.backendBatch = backend.transformToBackendBatch(state);
  await backend.processBatch(state);
  let spread = 0;
  for (const { steps } of conversation.trajectories) {
    expect(steps).toHaveLength(2);
    for (const { promptIds, responseIds, values } of steps as Step[]) {
      const expected = naive.valuesOf([...promptIds, ...responseIds]).slice(promptIds.length - 1, -1);
      expect(values).toHaveLength(responseIds.length);
      for (const [t, value] of expected.entries()) expect(values?.[t]).toBeCloseTo(value, 5);
      spread = Math.max(spread, ...expected) - Math.min(...expected);
    }
  }
  expect(spread).toBeGreaterThan(0.001);
});

test('with values and returns it learns a bandit, and its critic what the bandit pays', async () => {
  const backend = await startWithCritic();
  const metrics = await bandit(backend, 1, 60);
  expect(metrics[0]?.['reward']).toBeLessThan(0.4);
  expect(metrics.slice(-5).every(({ reward }) => (reward as number) > 0.9)).toBe(true);
  expect(metrics.at(-1)?.['train/value_loss']).toBeLessThan(0.1);
  expect(metrics.at(-1)?.['train/kl_reference']).toBeGreaterThan(1);
});

test('the critic learns the returns of the core, else the reward of the trajectory', async () => {
  const backend = await startWithCritic(rawOptions({ critic: { coefficient: 0.25 } }));
  const measured = async (returns?: readonly number[]): Promise<Metrics> => {
    const { trajectories } = await conversations(backend, 4);
    if (returns !== undefined)
      for (const step of trajectories.flatMap(({ steps }) => steps)) step.returns = returns;
    const metrics = await update(backend, trainerState(1, [group('solver', trajectories)]));
    const targets = trajectories.flatMap(({ steps, reward }) =>
      steps.flatMap(({ values = [], returns: own }) =>
        values.map((value, t) => [own?.[t] ?? reward ?? 0, value]),
      ),
    ) as [number, number][];
    const mean = (of: (pair: [number, number]) => number): number =>
      targets.reduce((sum, pair) => sum + of(pair), 0) / targets.length;
    const variance = (of: (pair: [number, number]) => number): number =>
      mean((pair) => (of(pair) - mean(of)) ** 2);
    expect(targets).toHaveLength(24);
    expect(metrics['train/value_loss']).toBeCloseTo(
      mean(([target, value]) => (target - value) ** 2),
      6,
    );
    expect(metrics['train/explained_variance']).toBeCloseTo(
      1 - variance(([target, value]) => target - value) / variance(([target]) => target),
      6,
    );
    return metrics;
  };
  await measured();
  await measured([1, 0.5, -2]);
});

test('equal returns have no variance to explain, and no returns teach the critic nothing', async () => {
  const backend = await startWithCritic();
  const { trajectories } = await conversations(backend, 3);
  const equal = trajectories.map((one) => ({ ...one, reward: 1 }));
  const metrics = await update(backend, trainerState(1, [group('solver', equal)]));
  expect(metrics).toHaveProperty(['train/value_loss']);
  expect(metrics).not.toHaveProperty(['train/explained_variance']);
  const bare = equal.map(({ reward: _, ...one }) => one);
  expect(await update(backend, trainerState(1, [group('solver', bare)]))).not.toHaveProperty([
    'train/value_loss',
  ]);
});

test('a detached critic, or one with a learning rate of its own, changes the value head alone or at its own pace', async () => {
  const headAndTrunk = async (critic: Record<string, unknown>): Promise<[number, number]> => {
    const backend = await startWithCritic(rawOptions({ critic }), { maxGradNorm: null });
    const before = await naiveTensors(backend);
    const { trajectories } = await conversations(backend, 4);
    // No advantage: what moves is moved by the critic.
    for (const step of trajectories.flatMap(({ steps }) => steps)) step.advantage = 0;
    await update(backend, trainerState(1, [group('solver', trajectories)]));
    const after = await naiveTensors(backend);
    const moved = (names: readonly string[]): number =>
      Math.max(
        ...names.flatMap((name) =>
          (after.get(name) ?? []).map((w, i) => Math.abs(w - (before.get(name)?.[i] ?? 0))),
        ),
      );
    return [moved(['value_head']), moved([...before.keys()].filter((name) => name !== 'value_head'))];
  };
  // The first step of Adam is as long as the learning rate, 0.01.
  const [head, trunk] = await headAndTrunk({});
  expect(head).toBeCloseTo(0.01, 5);
  expect(trunk).toBeCloseTo(0.01, 5);
  const [detachedHead, detachedTrunk] = await headAndTrunk({ detach: true });
  expect(detachedHead).toBeCloseTo(0.01, 5);
  expect(detachedTrunk).toBe(0);
  const [fastHead, slowTrunk] = await headAndTrunk({ learningRate: 0.5 });
  expect(fastHead).toBeCloseTo(0.5, 4);
  expect(slowTrunk).toBeCloseTo(0.01, 5);
});

async function naiveTensors(backend: LocalBackend): Promise<Map<string, number[]>> {
  const [file] = await savedBytes(backend);
  const { tensors } = decodeSafetensors(file as Uint8Array, 'weights');
  return new Map([...tensors].map(([name, { data }]) => [name, [...data]]));
}

test('with a critic and a reference the same seed gives the same numbers, whatever the number of workers', async () => {
  const settings = { miniBatches: 2, updateEpochs: 2 };
  const critic = { clip: 0.2 };
  const one = await startWithCritic(rawOptions({ critic, workers: 1 }), settings);
  const three = await startWithCritic(rawOptions({ critic, workers: 3 }), settings);
  expect(await bandit(three, 1, 4)).toEqual(await bandit(one, 1, 4));
  expect(await savedBytes(three)).toEqual(await savedBytes(one));
});

test('a run with a critic and a reference that goes on from a checkpoint is the run that never stopped', async () => {
  const through = await startWithCritic();
  await bandit(through, 1, 3);
  const folder = await newFolder();
  await through.saveCheckpoint(folder);
  const expected = await bandit(through, 4, 6);
  const resumed = await startWithCritic();
  await resumed.loadCheckpoint(folder);
  expect(await bandit(resumed, 4, 6)).toEqual(expected);
  expect(await savedBytes(resumed)).toEqual(await savedBytes(through));
});

test('a checkpoint without a value head, or without the reference, is refused by a run that needs them', async () => {
  const bare = await newFolder();
  await (await start()).saveCheckpoint(bare);
  const backend = await startWithCritic();
  await expect(backend.loadCheckpoint(bare)).rejects.toMatchObject({
    code: 'CHECKPOINT_INVALID',
    message: expect.stringContaining('no value head'),
  });
  const whole = await newFolder();
  await backend.saveCheckpoint(whole);
  await rm(join(whole, 'reference.safetensors'));
  await expect(backend.loadCheckpoint(whole)).rejects.toMatchObject({
    code: 'CHECKPOINT_INVALID',
    message: expect.stringContaining('reference.safetensors'),
  });
});

test('a policy that was trained with a critic plays on without it', async () => {
  const trained = await startWithCritic();
  await bandit(trained, 1, 3);
  const folder = await newFolder();
  await trained.saveCheckpoint(folder);
  const player = await start();
  await player.loadCheckpoint(folder);
  const reply = await player.rolloutEngine.getModelResponse(call());
  expect(reply).toEqual(await trained.rolloutEngine.getModelResponse(call()));
});
