import fc from 'fast-check';
import { collectRewardsAndAdvantages, type TrajectoryGroup } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculateRemaxAdvantages } from '../src/index.js';
import { tokenRows } from './arbitraries.js';
import {
  algorithmOf,
  estimate,
  expectRows,
  flat,
  groupOfTrajectories,
  stepAdvantages,
  trajectoryOf,
  withRegistry,
} from './support.js';

const withGreedy = (
  rewards: readonly number[],
  greedy: readonly (number | undefined)[],
  taskId = 't',
): TrajectoryGroup => ({
  ...groupOfTrajectories(
    rewards.map((reward) => trajectoryOf(reward, [{ tokens: 2 }])),
    { taskId },
  ),
  baselines: greedy.map((reward) => {
    const trajectory = trajectoryOf(reward ?? 0, [{ tokens: 3 }], 'greedy');
    if (reward === undefined) delete trajectory.reward;
    return trajectory;
  }),
});

test.each([
  {
    what: 'the reward less the greedy one',
    rows: [[[0, 1]], [[0, 0]]],
    greedy: [1, 1],
    expected: [[[0, 0]], [[-1, -1]]],
  },
  { what: 'reward-to-go less the greedy one', rows: [[[0.5, 1]]], greedy: [1], expected: [[[0.5, 0]]] },
  {
    what: 'each group its own',
    rows: [[[1], [0]], [[1]]],
    greedy: [0.25, 2],
    expected: [[[0.75], [-0.25]], [[-1]]],
  },
])('$what', ({ rows, greedy, expected }) => {
  expectRows(calculateRemaxAdvantages(rows, greedy).advantages, expected);
});

test('a reward that equals the greedy one gives exactly 0, and not −0', () => {
  for (const value of flat(calculateRemaxAdvantages([[[0, 0.1], [0.1]]], [0.1]).advantages))
    expect(value).toBe(0);
});

test('a group without a baseline is an error', () => {
  expect(() => calculateRemaxAdvantages([[[1]], [[1]]], [0])).toThrow(
    expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
  );
});

test('it is the sum of what is to come, less the baseline', () => {
  fc.assert(
    fc.property(tokenRows, fc.integer({ min: -9, max: 9 }), (rows, baseline) => {
      const { advantages } = calculateRemaxAdvantages(
        rows,
        rows.map(() => baseline),
      );
      expectRows(
        advantages,
        rows.map((group) =>
          group.map((row) => row.map((_, t) => row.slice(t).reduce((a, b) => a + b, 0) - baseline)),
        ),
      );
    }),
  );
});

describe('collected', () => {
  test('the greedy rollout is no member of the group: it has no advantage and counts in no metric', async () => {
    const group = withGreedy([1, 0], [0.5]);
    const { metrics } = await withRegistry((registry) =>
      collectRewardsAndAdvantages([group], algorithmOf('remax'), { registry }),
    );
    expect(stepAdvantages(group)).toEqual([[[0.5, 0.5]], [[-0.5, -0.5]]]);
    expect(group.baselines?.[0]?.steps[0]).not.toHaveProperty('advantage');
    expect(metrics['reward/solver/mean']).toBe(0.5);
  });

  test('several greedy rollouts count by their mean', async () => {
    expect(flat(await estimate('remax', [withGreedy([1], [0, 0.5])]))).toEqual([0.75, 0.75]);
  });

  test('a bound on rewards holds for the greedy one', async () => {
    const overrides = { rewardClip: { min: null, max: 1 } };
    expect(flat(await estimate('remax', [withGreedy([1], [100])], { overrides }))).toEqual([0, 0]);
  });

  test('a bound on rewards holds for each greedy one, and not for their mean', async () => {
    const overrides = { rewardClip: { min: null, max: 1 } };
    expect(flat(await estimate('remax', [withGreedy([1], [100, 0])], { overrides }))).toEqual([0.5, 0.5]);
  });

  test('a group without a greedy reward is refused by the collection, whatever missingReward says', async () => {
    await withRegistry(async (registry) => {
      for (const missingReward of ['error', 'exclude'] as const) {
        const algorithm = { ...algorithmOf('remax'), missingReward };
        expect(() => collectRewardsAndAdvantages([withGreedy([1], [])], algorithm, { registry })).toThrow(
          expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
        );
      }
    });
  });

  test('a greedy rollout without reward does not count', async () => {
    expect(flat(await estimate('remax', [withGreedy([1], [undefined, 0.5, Number.NaN])]))).toEqual([
      0.5, 0.5,
    ]);
  });

  test.each([
    { what: 'no greedy rollout', greedy: [] },
    { what: 'a greedy rollout without reward', greedy: [undefined] },
    { what: 'a greedy reward of NaN', greedy: [Number.NaN] },
  ])('$what stops the run, and names the task', async ({ greedy }) => {
    const failing = estimate('remax', [withGreedy([1], [0], 'fine'), withGreedy([1], greedy, 'bad')]);
    await expect(failing).rejects.toMatchObject({
      code: 'ESTIMATOR_INPUT',
      details: { taskId: 'bad', role: 'solver' },
    });
  });

  test.each([{ greedy: [] }, { greedy: [undefined] }, { greedy: [Number.POSITIVE_INFINITY] }])(
    'missingReward "exclude" gives a group with greedy rewards $greedy exactly 0, and touches no other',
    async ({ greedy }) => {
      const groups = [withGreedy([1, 0], greedy, 'bad'), withGreedy([1], [0], 'fine')];
      const advantages = await estimate('remax', groups, { overrides: { missingReward: 'exclude' } });
      expect(flat(advantages)).toEqual([0, 0, 0, 0, 1, 1]);
    },
  );
});
