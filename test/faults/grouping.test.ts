import { describe, expect, test } from 'vitest';
import { collectRewardsAndAdvantages } from '../../src/advantage/index.js';
import { DEFAULT_CONFIG } from '../../src/config/index.js';
import {
  type GroupingHook,
  taskRoleGrouping,
  transformEpisodesToTrajectoryGroups,
} from '../../src/grouping/index.js';
import { episodeOf } from '../../src/testing/index.js';
import { createStep, type Episode, type Step } from '../../src/types/index.js';
import { advantagesOf, algorithm, builtInRegistry, group } from '../advantage/support.js';
import { tiny } from '../trainer/tiny-run.js';

// Faults of other systems, by their numbers in the list that this project keeps: part B, grouping and transform.

function grouped(
  episodes: readonly Episode[],
  transform: Partial<typeof DEFAULT_CONFIG.transform> = {},
  groupingHook: GroupingHook = taskRoleGrouping,
) {
  return transformEpisodesToTrajectoryGroups(episodes, {
    transform: { ...DEFAULT_CONFIG.transform, ...transform },
    compactFiltering: DEFAULT_CONFIG.compactFiltering,
    groupingHook,
  });
}

test('B 27: a task id may hold anything, and no part of it is read', () => {
  const ids = ['gsm8k:12', 'gsm8k:13', 'a/b', 'ünïcode 数', 'with space', '', 'x'.repeat(200), '__proto__'];
  const episodes = ids.flatMap((taskId) => [
    episodeOf({ taskId, rewards: { agent: 1 } }),
    episodeOf({ taskId, rolloutIndex: 1, rewards: { agent: 0 } }),
  ]);
  const { groups } = grouped(episodes);
  expect(groups.map(({ taskId, trajectories }) => [taskId, trajectories.length])).toEqual(
    ids.map((id) => [id, 2]),
  );
});

test('B 29: rollouts are compared by their role, whatever uid their trajectories have', () => {
  const episodes = [1, 0, 1, 0].map((reward, rolloutIndex) =>
    episodeOf({ rolloutIndex, rewards: { agent: reward } }),
  );
  const { groups, warnings } = grouped(episodes);
  expect(groups).toHaveLength(1);
  expect(warnings).toEqual([]);
  collectRewardsAndAdvantages(groups, algorithm(), { registry: builtInRegistry() });
  const one = 0.5 / (0.5 + 1e-6);
  expect(groups.map(advantagesOf)).toEqual([[one, -one, one, -one]]);
  const apart = [0, 1].map((rolloutIndex) =>
    episodeOf({ rolloutIndex, rewards: { [`agent-${rolloutIndex}`]: 1 } }),
  );
  expect(grouped(apart).warnings.map(({ code }) => code)).toEqual(['SINGLETON_GROUPS']);
});

test('B 30: siblings share one group id', () => {
  const episodes = [0, 1, 2].map((rolloutIndex) => episodeOf({ rolloutIndex }));
  expect(new Set(grouped(episodes).groups.map(({ groupId }) => groupId)).size).toBe(1);
});

describe('B 32: a reward that only steps have', () => {
  const dense = (): Episode[] =>
    [0, 1].map((rolloutIndex) => {
      const episode = episodeOf({
        rolloutIndex,
        rewards: { agent: rolloutIndex === 0 ? null : 0.25 },
        steps: 2,
      });
      episode.trajectories[0]?.steps.forEach((step, s) => {
        step.reward = s === 0 ? 1 : 0;
      });
      return episode;
    });
  const rewardsBy = (trajectoryReward: 'last' | 'sum') =>
    grouped(dense(), { trajectoryReward }).groups.flatMap(({ trajectories }) =>
      trajectories.map(({ reward }) => reward),
    );

  test('is taken by the policy stated, one trajectory at a time', () => {
    expect(rewardsBy('last')).toEqual([0, 0.25]);
    expect(rewardsBy('sum')).toEqual([1, 0.25]);
  });
});

test("B 33: the trainer groups by the user's hook", async () => {
  let calls = 0;
  const byEvenness: GroupingHook = (episodes) => {
    calls++;
    return taskRoleGrouping(episodes, DEFAULT_CONFIG.transform, {}).map((own) => ({
      ...own,
      groupId: 'mine',
    }));
  };
  const { trainer, backend } = tiny({
    groupingHook: byEvenness,
    config: { trainer: { totalBatches: 1, testFreq: 0, valBeforeTrain: false } },
  });
  await trainer.fit();
  expect(calls).toBe(1);
  expect(backend.updates[0]?.groups.every(({ groupId }) => groupId === 'mine')).toBe(true);
});

describe('B 35: advantages that a workflow sets', () => {
  const config = algorithm({ usePrecomputedAdvantage: true });
  const settle = (advantage: Step['advantage'], tokens = [3]) => {
    const own = group([1, 0], { tokens, ...(advantage === undefined ? {} : { advantage }) });
    collectRewardsAndAdvantages([own], config, { registry: builtInRegistry() });
    return own;
  };

  test('of another length than the response are an error that names the step', () => {
    expect(() => settle([0.1, 0.2])).toThrow(
      expect.objectContaining({ code: 'ADVANTAGE_LENGTH', message: expect.stringContaining('"t-0-0"') }),
    );
  });

  test('may be a whole number', () => {
    expect(advantagesOf(settle(1))).toEqual([1, 1]);
  });

  test('are 0 on a step that has none beside one that has', () => {
    const own = group([1, 0], { tokens: [1, 1], advantage: 2 });
    delete own.trajectories[0]?.steps[1]?.advantage;
    collectRewardsAndAdvantages([own], config, { registry: builtInRegistry() });
    expect(own.trajectories[0]?.steps.map(({ advantage }) => advantage)).toEqual([2, 0]);
  });

  test('are still absent after JSON where nobody set them', () => {
    const step = createStep({ responseIds: [1, 2, 3] });
    expect(JSON.parse(JSON.stringify(step))).not.toHaveProperty('advantage');
  });
});

test('B 36: tokens that the teacher does not know are null, and a list of another length is an error', () => {
  const registry = builtInRegistry();
  registry.addFunction('distil', ({ rewards }) => ({ advantages: rewards }), 'test', {
    requires: ['teacherLogprobs'],
  });
  const config = algorithm({ estimator: 'distil' });
  const own = group([1, 0], { tokens: [3] });
  for (const { steps } of own.trajectories) for (const step of steps) step.teacherLogprobs = [-1, -1];
  expect(() => collectRewardsAndAdvantages([own], config, { registry })).toThrow(
    expect.objectContaining({
      code: 'ESTIMATOR_INPUT',
      message: expect.stringMatching(/"t-0-0".*3 response tokens and 2 teacher log-probs/),
    }),
  );
  for (const { steps } of own.trajectories) for (const step of steps) step.teacherLogprobs = [-1, -1, null];
  expect(() => collectRewardsAndAdvantages([own], config, { registry })).not.toThrow();
});
