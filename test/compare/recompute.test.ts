import { describe, expect, test } from 'vitest';
import {
  advantageChanges,
  type EpisodesOfStep,
  largestChanges,
  parseColumn,
  type RecomputedTrajectory,
  recomputeAdvantages,
} from '../../src/compare/index.js';
import { resolveConfig } from '../../src/config/index.js';
import { taskRoleGrouping } from '../../src/grouping/index.js';
import { episodeOf } from '../../src/testing/index.js';
import type { Episode } from '../../src/types/index.js';
import { builtInRegistry } from '../advantage/support.js';
import { Counting } from './counting.js';

/** Episodes of one task per row, with advantages as a run has saved them. */
function saved(rewards: readonly (readonly number[])[], old?: readonly (readonly number[])[]): Episode[] {
  return rewards.flatMap((row, g) =>
    row.map((reward, i) => {
      const episode = episodeOf({ taskId: `t${g}`, rolloutIndex: i, rewards: { agent: reward } });
      const advantage = old?.[g]?.[i];
      for (const step of episode.trajectories[0]?.steps ?? []) {
        if (advantage !== undefined) step.advantage = advantage;
      }
      return episode;
    }),
  );
}

async function* stepsOf(...batches: readonly Episode[][]): AsyncGenerator<EpisodesOfStep> {
  for (const [index, episodes] of batches.entries()) yield { step: index + 1, episodes };
}

async function recompute(
  estimator: string,
  batches: readonly Episode[][],
  config: Record<string, unknown> = {},
  registry = builtInRegistry(),
  step?: number,
): Promise<RecomputedTrajectory[]> {
  const all: RecomputedTrajectory[] = [];
  const setting = { config: resolveConfig(config), groupingHook: taskRoleGrouping, registry, step };
  for await (const one of recomputeAdvantages(stepsOf(...batches), parseColumn(estimator), setting)) {
    all.push(...one);
  }
  return all;
}

describe('saved episodes through another estimator', () => {
  test('have the old and the new advantage', async () => {
    const batch = saved([[1, 0, 0]], [[0.5, -0.25, -0.25]]);
    expect(await recompute('rloo', [batch])).toMatchObject([
      { step: 1, taskId: 't0', rolloutIndex: 0, role: 'agent', reward: 1, old: 0.5, new: 1 },
      { old: -0.25, new: -0.5 },
      { old: -0.25, new: -0.5 },
    ]);
  });

  test('do not count as precomputed', async () => {
    const config = { algorithm: { usePrecomputedAdvantage: true } };
    const [first] = await recompute('rloo', [saved([[1, 0]], [[9, 9]])], config);
    expect(first).toMatchObject({ old: 9, new: 1 });
  });

  test('go through the filters of the run', async () => {
    const config = { rejectionSample: { mode: 'group', minTrajsPerGroup: 2 } };
    const all = await recompute('rloo', [saved([[1, 1], [1, 0], [1]])], config);
    expect(all.map((one) => one.new)).toEqual([null, null, 1, -1, null]);
  });

  test('are asked about by what the run plans, whatever its filters left of a step', async () => {
    const asked: unknown[] = [];
    const registry = builtInRegistry();
    registry.addFunction('asking', ({ rewards }) => ({ advantages: [...rewards] }), 'test', {
      check: ({ rollouts, tasksPerBatch }) => {
        asked.push([rollouts, tasksPerBatch]);
        return [];
      },
    });
    const config = {
      rejectionSample: { mode: 'group', minTrajsPerGroup: 1 },
      rollout: { n: 4 },
      data: { trainBatchSize: 3 },
    };
    await recompute('asking', [saved([[1, 0, 0], [1], [0, 0]])], config, registry);
    expect(asked).toEqual([[4, 3]]);
    const prpo = await recompute('prpo', [saved([[1, 0], [1, 1], [1]])], config);
    expect(prpo.map((one) => one.new)).toEqual([expect.any(Number), expect.any(Number), null, null, null]);
  });

  test('wait in episode mode, and are compared with the batch in which they train', async () => {
    const config = { rejectionSample: { mode: 'episode', minPartialSolveTasks: 2 } };
    const seen: number[] = [];
    const registry = builtInRegistry();
    registry.addFunction(
      'seeing',
      ({ rewards }) => {
        seen.push(rewards.length);
        return { advantages: rewards.map((row) => row.map(() => 1)) };
      },
      'test',
    );
    const all = await recompute('seeing', [saved([[1, 0]]), saved([[1, 0]])], config, registry);
    expect(seen).toEqual([2]);
    expect(all.map((one) => one.new)).toEqual([null, null, 1, 1]);
  });

  test('of one step have what waited before it, and the state that the steps before have left', async () => {
    const registry = builtInRegistry();
    registry.override('counting', Counting, 'test');
    const batches = [saved([[1, 0]]), saved([[1, 0]]), saved([[1, 0]])];
    const config = { rejectionSample: { mode: 'episode', minPartialSolveTasks: 1 } };
    const second = await recompute('counting', batches.slice(0, 2), config, registry, 2);
    expect(second.map((one) => [one.step, one.new])).toEqual([
      [2, 2],
      [2, 2],
    ]);
    const waits = { rejectionSample: { mode: 'episode', minPartialSolveTasks: 2 } };
    const [first] = await recompute('reinforce_plus_plus_baseline', batches, waits, builtInRegistry(), 2);
    // Alone it would wait.
    expect(first?.new).toBeCloseTo(1, 5);
  });

  test('of steps before the one asked for need give nothing to an estimator without state', async () => {
    const registry = builtInRegistry();
    registry.addFunction('anchored', ({ rewards }) => ({ advantages: [...rewards] }), 'test', {
      requires: ['stepAnchors'],
    });
    const known = saved([[1, 0]]);
    for (const { trajectories } of known) {
      for (const { steps } of trajectories) for (const step of steps) step.observation = 1;
    }
    const all = await recompute('anchored', [saved([[1, 0]]), known], {}, registry, 2);
    expect(all.map((one) => one.new)).toEqual([1, 0]);
  });

  test('have their greedy rollouts as baselines, and not among the others', async () => {
    const registry = builtInRegistry();
    registry.addFunction(
      'over_greedy',
      ({ rewards, groups }) => ({
        advantages: rewards.map((row, g) => row.map((r) => r - (groups[g]?.baselines?.[0]?.reward ?? 9))),
      }),
      'test',
      { requires: ['greedyBaseline'] },
    );
    const greedy = episodeOf({ taskId: 't0', rolloutIndex: 2, rewards: { agent: 0.5 } });
    greedy.info['greedy'] = true;
    const all = await recompute('over_greedy', [[...saved([[1, 0]]), greedy]], {}, registry);
    expect(all.map((one) => one.new)).toEqual([0.5, -0.5]);
    const rloo = await recompute('rloo', [[...saved([[1, 0]]), greedy]]);
    expect(rloo.map((one) => one.new)).toEqual([1, -1]);
  });

  test('that lack what the estimator needs are refused with the reason', async () => {
    const registry = builtInRegistry();
    registry.addFunction('greedy', ({ rewards }) => ({ advantages: [...rewards] }), 'test', {
      requires: ['greedyBaseline'],
    });
    await expect(recompute('greedy', [saved([[1, 0]])], {}, registry)).rejects.toMatchObject({
      code: 'SETTING_IMPOSSIBLE',
      message: expect.stringContaining('needs a greedy rollout of each task'),
    });
  });

  test('of which a later step lacks it are refused with that step', async () => {
    const registry = builtInRegistry();
    registry.addFunction('anchored', ({ rewards }) => ({ advantages: [...rewards] }), 'test', {
      requires: ['stepAnchors'],
    });
    const [known, unknown] = [saved([[1, 0]]), saved([[1, 0]])];
    for (const { trajectories } of known)
      for (const { steps } of trajectories) for (const step of steps) step.observation = 1;
    await expect(recompute('anchored', [known, unknown], {}, registry)).rejects.toMatchObject({
      code: 'SETTING_IMPOSSIBLE',
      message: expect.stringMatching(/of step 2: .*has no observation/),
    });
  });

  test('under an unknown name are refused', async () => {
    await expect(recompute('gropo', [saved([[1, 0]])])).rejects.toMatchObject({ code: 'UNKNOWN_NAME' });
  });
});

describe('a change of advantages', () => {
  const row = (old: number | null, now: number | null, step = 1, role = 'agent'): RecomputedTrajectory => ({
    ...{ step, taskId: 't', rolloutIndex: 0, role, uid: 'u', reward: 0, old, new: now },
  });

  test('is summed up by step and role', () => {
    const changes = advantageChanges([
      row(1, -1),
      row(-1, 1),
      row(0, 2),
      row(3, 3, 2),
      row(1, 1, 1, 'judge'),
    ]);
    expect(changes.map(({ step, role, both }) => [step, role, both])).toEqual([
      [1, 'agent', 3],
      [2, 'agent', 1],
      [1, 'judge', 1],
    ]);
    expect(changes[0]).toMatchObject({
      old: { count: 3, mean: 0, fractionZero: 1 / 3 },
      new: { count: 3, fractionZero: 0 },
      signFlips: 2,
    });
    // Centred: [1, −1, 0] · [−5/3, 1/3, 4/3] = −2, over √2 · √(14/3).
    expect(changes[0]?.correlation).toBeCloseTo(-2 / Math.sqrt(2 * (14 / 3)), 12);
  });

  test('of a linear map has correlation 1, and none where one side does not vary', () => {
    expect(advantageChanges([row(1, 2), row(2, 4), row(5, 10)])[0]?.correlation).toBeCloseTo(1, 12);
    expect(advantageChanges([row(1, 0), row(2, 0)])[0]?.correlation).toBeNull();
    expect(advantageChanges([row(1, 2)])[0]?.correlation).toBeNull();
  });

  test('counts what trains on one side only', () => {
    expect(advantageChanges([row(null, 1), row(2, null)])[0]).toMatchObject({
      old: { count: 1, mean: 2 },
      new: { count: 1, mean: 1 },
      both: 0,
      signFlips: 0,
    });
  });

  test('is listed largest first', () => {
    const rows = [row(0, 1), row(0, -3), row(2, 2), row(null, 9)];
    expect(largestChanges(rows, 5).map((one) => one.new)).toEqual([-3, 1]);
    expect(largestChanges(rows, 1)).toHaveLength(1);
  });
});
