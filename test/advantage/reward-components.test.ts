import { describe, expect, test } from 'vitest';
import { collectRewardsAndAdvantages, componentsOf } from '../../src/advantage/index.js';
import type { AlgorithmConfig } from '../../src/config/types.js';
import { createTrajectory, type TrajectoryGroup } from '../../src/types/index.js';
import { leftOut } from '../grouping/support.js';
import { advantagesOf, algorithm, builtInRegistry, group } from './support.js';

function withParts(
  rewards: readonly number[],
  parts: readonly (Readonly<Record<string, number>> | undefined)[],
): TrajectoryGroup {
  const own = group(rewards);
  own.trajectories.forEach((trajectory, i) => {
    const given = parts[i];
    if (given !== undefined) trajectory.rewards = { ...given };
  });
  return own;
}

const collect = (groups: readonly TrajectoryGroup[], overrides: Partial<AlgorithmConfig> = {}) =>
  collectRewardsAndAdvantages(groups, algorithm(overrides), { registry: builtInRegistry() });

describe('named parts of a reward', () => {
  test('come out by name in the shape of the rewards, in an order that no trajectory decides', () => {
    const groups = [
      withParts(
        [1.5, 0],
        [
          { format: 0.5, correct: 1 },
          { correct: 0, format: 0 },
        ],
      ),
      withParts([1], [{ correct: 1, format: 0 }]),
    ];
    const { names, values } = componentsOf({ groups });
    expect(names).toEqual(['correct', 'format']);
    expect(values.get('correct')).toEqual([Float64Array.of(1, 0), Float64Array.of(1)]);
    expect(values.get('format')).toEqual([Float64Array.of(0.5, 0), Float64Array.of(0)]);
  });

  test('are none where no trajectory has any', () => {
    expect(componentsOf({ groups: [group([1, 0])] }).names).toEqual([]);
  });

  test('that one trajectory lacks are an error that names part, task, rollout and role', () => {
    const groups = [withParts([1, 0], [{ correct: 1, format: 1 }, { correct: 0 }])];
    expect(() => componentsOf({ groups })).toThrow(
      expect.objectContaining({
        code: 'ESTIMATOR_INPUT',
        message: expect.stringMatching(/rollout 1 of task "t", role "solver".*"format"/),
      }),
    );
  });

  test('have a mean of their own, over the trajectories that have them', () => {
    const { metrics } = collect([
      withParts([1, 0, 1], [{ correct: 1 }, { correct: 0, format: 0.5 }, undefined]),
    ]);
    expect(metrics).toMatchObject({
      'reward/solver/correct/mean': 0.5,
      'reward/solver/format/mean': 0.5,
      'reward/solver/mean': 2 / 3,
    });
  });

  test('may not be inherited: each trajectory has its own', () => {
    const groups = [withParts([1, 0], [{ constructor: 1 }, { correct: 0 }])];
    expect(() => componentsOf({ groups })).toThrow(
      expect.objectContaining({ message: expect.stringContaining('has no part "constructor"') }),
    );
  });

  test('that are not finite stop the run, naming the part', () => {
    expect(() => collect([withParts([1, 0], [{ correct: 1 }, { correct: Number.NaN }])])).toThrow(
      expect.objectContaining({
        code: 'REWARD_NOT_FINITE',
        message: expect.stringMatching(/"correct".*rollout 1 of task "t"/),
      }),
    );
  });

  test('that are not finite leave the trajectory out, where that is the policy', () => {
    const own = withParts(
      [1, 0, 0.5],
      [{ correct: 1 }, { correct: 0 }, { correct: Number.POSITIVE_INFINITY }],
    );
    const { dropped } = collect([own], { missingReward: 'exclude', estimator: 'rloo' });
    expect(leftOut(dropped)).toEqual([['unscored', 't', 2]]);
    expect(advantagesOf(own)).toEqual([1, -1, null]);
  });

  test('go through createTrajectory and JSON, as a copy', () => {
    const rewards = { correct: 1, format: 0.5 };
    const trajectory = createTrajectory({ reward: 1.5, rewards });
    rewards.correct = 0;
    expect(trajectory.rewards).toEqual({ correct: 1, format: 0.5 });
    expect(JSON.parse(JSON.stringify(trajectory))).toEqual(trajectory);
    expect(createTrajectory({})).not.toHaveProperty('rewards');
  });
});
