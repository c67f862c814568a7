import fc from 'fast-check';
import { createStep, createTrajectory, type Trajectory } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { discountedReturns, stepRewards } from '../src/index.js';

function trajectory(rewards: readonly number[]): Trajectory {
  return createTrajectory({ steps: rewards.map((reward) => createStep({ reward })) });
}

describe('discounted returns', () => {
  test.each([
    { rewards: [0, 0, 1], gamma: 0.5, expected: [0.25, 0.5, 1] },
    { rewards: [1, 2, 4], gamma: 1, expected: [7, 6, 4] },
    { rewards: [1, 2, 4], gamma: 0, expected: [1, 2, 4] },
    { rewards: [3], gamma: 0.9, expected: [3] },
    { rewards: [], gamma: 0.9, expected: [] },
  ])('of $rewards with γ = $gamma are $expected', ({ rewards, gamma, expected }) => {
    expect([...discountedReturns(rewards, gamma)]).toEqual(expected);
  });

  test('are the sum of γᵏ·r', () => {
    const rewards = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(rewards, fc.double({ min: 0, max: 1, noNaN: true }), (own, gamma) => {
        const returns = discountedReturns(own, gamma);
        own.forEach((_, s) => {
          const naive = own.slice(s).reduce((sum, reward, k) => sum + gamma ** k * reward, 0);
          expect(returns[s]).toBeCloseTo(naive, 9);
        });
      }),
    );
  });
});

describe('rewards of steps', () => {
  test.each([
    {
      what: 'an outcome on the trajectory alone stands on its last step',
      own: [0, 0, 0],
      reward: 1,
      expected: [0, 0, 1],
    },
    { what: 'rewards that make up the trajectory stay', own: [1, 0], reward: 1, expected: [1, 0] },
    { what: 'a penalty is taken off the last step', own: [1, 0], reward: 0.75, expected: [1, -0.25] },
    { what: 'without a reward they stay', own: [1, 2], reward: undefined, expected: [1, 2] },
    { what: 'float noise of a sum is no reward', own: [0.1, 0.2, 0], reward: 0.3, expected: [0.1, 0.2, 0] },
  ])('$what', ({ own, reward, expected }) => {
    expect([...stepRewards(trajectory(own), reward)]).toEqual(expected);
  });

  test('with γ = 1 the return of the first step is the reward of the trajectory', () => {
    const number = fc.double({ min: -10, max: 10, noNaN: true });
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 8 }), number, (own, reward) => {
        const [first] = discountedReturns(stepRewards(trajectory(own), reward), 1);
        expect(first).toBeCloseTo(reward, 9);
      }),
    );
  });
});
