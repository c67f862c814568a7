import { RllmError } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculateRaeAdvantages, Rae } from '../src/index.js';
import { raeOptions } from '../src/rae.js';
import { algorithm, group, rounded } from './support.js';

function estimate(estimator: Rae, rewards: readonly (readonly number[])[], role = 'white'): number[][] {
  const { advantages } = estimator.estimate({
    role,
    rewards: rewards.map((own) => Float64Array.from(own)),
    groups: rewards.map((own) => group(own, { role })),
    algorithm,
    options: raeOptions.parse({}),
  });
  return rounded(advantages as readonly Float64Array[], 12);
}

test('a role that always gets 1 is credited less each time', () => {
  expect(estimate(new Rae(), [[1, 1, 1]])).toEqual([[1, 0.95, 0.9025]]);
});

test('the order is by group, then by trajectory, and across batches', () => {
  const rae = new Rae();
  expect(estimate(rae, [[1], [1]])).toEqual([[1], [0.95]]);
  expect(estimate(rae, [[1, 0]])).toEqual([[0.9025, -0.142625]]);
});

test('roles do not touch each other: each side of a zero-sum game has a baseline of its own', () => {
  const rae = new Rae();
  expect(estimate(rae, [[1, 1]], 'white')).toEqual([[1, 0.95]]);
  expect(estimate(rae, [[-1, -1]], 'black')).toEqual([[-1, -0.95]]);
});

test('it equals its definition, with any decay', () => {
  const rewards = [[3, -1, 2], [0], [5, 5]];
  let baseline = 0.5;
  const definition = rewards.map((own) =>
    own.map((reward) => {
      const advantage = reward - baseline;
      baseline = 0.7 * baseline + 0.3 * reward;
      return advantage;
    }),
  );
  const got = calculateRaeAdvantages(rewards, 0.5, { decay: 0.7 });
  expect(rounded(got.advantages, 12)).toEqual(rounded(definition, 12));
  expect(got.baseline).toBeCloseTo(baseline, 12);
});

test('a decay of 0 compares each reward with the one before', () => {
  expect(rounded(calculateRaeAdvantages([[1, 4, 2]], 0, { decay: 0 }).advantages)).toEqual([[1, 3, -2]]);
});

describe('its state', () => {
  test('goes through a checkpoint: the next rollout gets the advantage of an uninterrupted run', () => {
    const whole = new Rae();
    estimate(whole, [[1, 0, 1]]);
    estimate(whole, [[1]], '__proto__');
    const resumed = new Rae();
    resumed.loadStateDict(JSON.parse(JSON.stringify(whole.stateDict())));
    expect(estimate(resumed, [[1, 0.5]])).toEqual(estimate(whole, [[1, 0.5]]));
    expect(estimate(resumed, [[1]], '__proto__')).toEqual([[0.95]]);
    expect(estimate(new Rae(), [[1]])).toEqual([[1]]);
  });

  test('is a copy: what happens later does not change what was saved', () => {
    const rae = new Rae();
    estimate(rae, [[1]]);
    const saved = rae.stateDict();
    const before = JSON.stringify(saved);
    estimate(rae, [[1]]);
    expect(JSON.stringify(saved)).toBe(before);
  });

  test('replaces what was there when it is loaded', () => {
    const rae = new Rae();
    estimate(rae, [[1]]);
    rae.loadStateDict(new Rae().stateDict());
    expect(estimate(rae, [[1]])).toEqual([[1]]);
  });

  test.each([[null], [{}], [{ baselines: [['white', 'one']] }], [{ baselines: [['white', null]] }], [[1]]])(
    '%j is refused as a state',
    (state) => {
      let thrown: unknown;
      try {
        new Rae().loadStateDict(state);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(RllmError);
      expect(thrown).toMatchObject({ code: 'CHECKPOINT_INVALID' });
    },
  );
});

test('a group that fails leaves the baselines as they were', () => {
  const rae = new Rae();
  expect(() => estimate(rae, [[1], [Number.NaN]])).toThrow();
  expect(estimate(rae, [[1]])).toEqual([[1]]);
});

test('its options have a default, and a decay of 1 is refused: the baseline would never move', () => {
  expect(raeOptions.parse({})).toEqual({ decay: 0.95 });
  expect(raeOptions.safeParse({ decay: 1 }).success).toBe(false);
});
