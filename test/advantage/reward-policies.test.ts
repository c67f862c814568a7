import { describe, expect, test } from 'vitest';
import { collectRewardsAndAdvantages } from '../../src/advantage/index.js';
import type { AlgorithmConfig } from '../../src/config/types.js';
import type { TrajectoryGroup } from '../../src/types/index.js';
import { advantagesOf, algorithm, builtInRegistry, group } from './support.js';

const registry = builtInRegistry();
// The reward itself, so that what an estimator sees can be read off.
registry.addFunction(
  'seen',
  ({ rewards, groups }) => ({
    advantages: groups.map(({ trajectories }, g) =>
      trajectories.map(({ steps }, i) =>
        steps.flatMap(({ responseIds }) => responseIds.map(() => rewards[g]?.[i] ?? 0)),
      ),
    ),
  }),
  'test',
);

function collect(groups: readonly TrajectoryGroup[], overrides: Partial<AlgorithmConfig> = {}) {
  const config = algorithm({ estimator: 'reinforce', ...overrides });
  return collectRewardsAndAdvantages(groups, config, { registry });
}

/** A group of trajectories of one step each, with the lengths given. */
function ofLengths(rewards: readonly number[], lengths: readonly number[]): TrajectoryGroup {
  const own = group(rewards, { tokens: [0] });
  own.trajectories.forEach(({ steps }, i) => {
    Object.assign(steps[0] ?? {}, { responseIds: Array.from({ length: lengths[i] ?? 0 }, () => 7) });
  });
  return own;
}

/** A group with log-probs of the policy and of the reference on every token. */
function withLogprobs(rewards: readonly number[], own: readonly number[], reference: readonly number[]) {
  const made = group(rewards, { tokens: [own.length] });
  for (const { steps } of made.trajectories) {
    Object.assign(steps[0] ?? {}, { logprobs: own, referenceLogprobs: reference });
  }
  return made;
}

describe('reward clip', () => {
  test('bounds what the estimator sees, and metrics keep the rewards', () => {
    const own = group([-5, 0.5, 9]);
    const { metrics } = collect([own], { rewardClip: { min: -1, max: 2 } });
    expect(advantagesOf(own)).toEqual([-1, 0.5, 2]);
    expect(own.trajectories.map(({ reward }) => reward)).toEqual([-5, 0.5, 9]);
    expect(metrics).toMatchObject({
      'reward/solver/min': -5,
      'reward/solver/mean': 1.5,
      'reward/solver/shaped_mean': 0.5,
    });
  });

  test('may bound one side only', () => {
    const own = group([-5, 9]);
    collect([own], { rewardClip: { min: null, max: 0 } });
    expect(advantagesOf(own)).toEqual([-5, 0]);
  });
});

describe('length penalty', () => {
  test.each([
    { length: 80, penalty: 0 },
    { length: 81, penalty: 0.1 },
    { length: 90, penalty: 1 },
    { length: 100, penalty: 2 },
    { length: 150, penalty: 2 },
  ])('soft_overlong takes $penalty off at $length tokens', ({ length, penalty }) => {
    const own = ofLengths([1, 1], [length, 10]);
    collect([own], { lengthPenalty: { kind: 'soft_overlong', maxTokens: 100, buffer: 20, factor: 2 } });
    expect(advantagesOf(own)[0]).toBeCloseTo(1 - penalty, 12);
    expect(advantagesOf(own)[1]).toBe(1);
  });

  test('linear takes factor · mean reward · length / longest off', () => {
    const own = ofLengths([1, 0, 1, 0], [100, 50, 25, 0]);
    collect([own], { lengthPenalty: { kind: 'linear', factor: 0.5 } });
    expect(advantagesOf(own)).toEqual([0.75, -0.125, 0.9375, 0]);
  });

  test('linear does not pay for length where the mean reward is negative', () => {
    const own = group([-1, -1], { tokens: [1, 10] });
    collect([own], { lengthPenalty: { kind: 'linear', factor: 0.5 } });
    expect(advantagesOf(own)).toEqual([-1, -1]);
  });

  test('linear leaves a group that solved nothing alone, and counts the tokens of all steps', () => {
    const unsolved = ofLengths([0, 0], [100, 1]);
    const twoSteps = group([1, 1], { taskId: 'u', tokens: [3, 5] });
    collect([unsolved, twoSteps], { lengthPenalty: { kind: 'linear', factor: 1 } });
    expect(advantagesOf(unsolved)).toEqual([0, 0]);
    expect(advantagesOf(twoSteps)).toEqual([0, 0]);
  });

  test('makes a group of equal rewards and unequal lengths teach', () => {
    const own = ofLengths([1, 1], [100, 50]);
    collect([own], { estimator: 'rloo', lengthPenalty: { kind: 'linear', factor: 1 } });
    expect(advantagesOf(own)).toEqual([-0.5, 0.5]);
  });
});

describe('KL in the reward', () => {
  const d = Math.LN2;
  test.each([
    { estimator: 'k1', kl: d },
    { estimator: 'k2', kl: (d * d) / 2 },
    { estimator: 'k3', kl: 0.5 - 1 + d },
    { estimator: 'abs', kl: d },
  ] as const)('$estimator is summed over the response tokens', ({ estimator, kl }) => {
    const own = withLogprobs([1], [-1, -2, -3], [-1 - d, -2 - d, -3 - d]);
    collect([own], { klInReward: { coefficient: 0.1, estimator } });
    expect(advantagesOf(own)[0]).toBeCloseTo(1 - 0.1 * 3 * kl, 12);
  });

  test.each([-1000, -21, 1000])('one absurd token of d = %d costs at most 10 by k3, as in verl', (odd) => {
    const own = withLogprobs([1], [odd], [0]);
    collect([own], { klInReward: { coefficient: 1, estimator: 'k3' } });
    expect(advantagesOf(own)).toEqual([1 - 10]);
  });

  test('a step without reference log-probs is an error that names it', () => {
    expect(() => collect([group([1])], { klInReward: { coefficient: 1, estimator: 'k1' } })).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_INPUT', message: expect.stringContaining('t-0-0') }),
    );
  });

  test('a coefficient of 0 needs no log-probs', () => {
    const own = group([1]);
    expect(collect([own], { klInReward: { coefficient: 0, estimator: 'k3' } }).metrics).not.toHaveProperty(
      'reward/solver/shaped_mean',
    );
    expect(advantagesOf(own)).toEqual([1]);
  });
});

test('clip, length penalty and KL act in this order, each on what the one before left', () => {
  const own = withLogprobs([10, 10], [-1, -1], [-2, -2]);
  collect([own], {
    rewardClip: { min: null, max: 4 },
    lengthPenalty: { kind: 'linear', factor: 0.25 },
    klInReward: { coefficient: 0.5, estimator: 'k1' },
  });
  // 10 → 4 → 4 − 0.25·4·2/2 = 3 → 3 − 0.5·(1 + 1) = 2
  expect(advantagesOf(own)).toEqual([2, 2]);
});

test('a lone trajectory keeps its shaped reward, or is set apart, by policy', () => {
  const clip = { rewardClip: { min: null, max: 0.5 } };
  const own = group([3]);
  collect([own], { estimator: 'rloo', ...clip });
  expect(advantagesOf(own)).toEqual([0.5]);
  const others = [group([3]), group([2, 0], { taskId: 'u' })];
  collect(others, { estimator: 'prpo', loneTrajectory: 'zero', ...clip });
  expect(others.map(advantagesOf)).toEqual([[0], [0.25 / (0.25 + 1e-6), -0.25 / (0.25 + 1e-6)]]);
});

describe('advantage clip', () => {
  test('bounds advantages per trajectory, and their metrics', () => {
    const own = group([1, 0, 0, 0]);
    const { metrics } = collect([own], { estimator: 'grpo', advantageClip: 1 });
    expect(advantagesOf(own)[0]).toBe(1);
    expect(metrics['advantage/solver/max']).toBe(1);
  });

  test('bounds advantages per token', () => {
    const own = group([5, -5], { tokens: [2] });
    collect([own], { estimator: 'seen', advantageClip: 2 });
    expect(advantagesOf(own)).toEqual([
      [2, 2],
      [-2, -2],
    ]);
  });

  test('bounds precomputed advantages, in a list of its own', () => {
    const given = [3, -0.5];
    const own = group([1, 0], { tokens: [2], advantage: given });
    collect([own], { usePrecomputedAdvantage: true, advantageClip: 1 });
    expect(advantagesOf(own)[0]).toEqual([1, -0.5]);
    expect(given).toEqual([3, -0.5]);
  });
});

test('no policy makes a uniform group of equal lengths anything but exactly 0', () => {
  const own = withLogprobs([0.1, 0.1, 0.1], [-0.3, -0.7], [-0.1, -0.9]);
  collect([own], {
    estimator: 'grpo',
    rewardClip: { min: 0, max: 1 },
    lengthPenalty: { kind: 'linear', factor: 0.3 },
    klInReward: { coefficient: 0.01, estimator: 'k3' },
    advantageClip: 5,
  });
  expect(advantagesOf(own)).toEqual([0, 0, 0]);
});
