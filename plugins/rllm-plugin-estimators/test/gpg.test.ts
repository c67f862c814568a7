import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gpgOptions } from '../src/gpg.js';
import { calculateDrGrpoAdvantages, calculateGpgAdvantages } from '../src/index.js';
import { rounded } from './support.js';

const oneOfEight = [
  [1, 0, 0, 0],
  [0, 0, 0, 0],
];

test.each([
  {
    what: 'one reward of eight is not 0, so alpha is 8',
    rewards: oneOfEight,
    options: {},
    expected: [
      [6, -2, -2, -2],
      [0, 0, 0, 0],
    ],
  },
  {
    what: 'four of eight are in a mixed group, so alpha is 2',
    rewards: oneOfEight,
    options: { count: 'mixed_groups' },
    expected: [
      [1.5, -0.5, -0.5, -0.5],
      [0, 0, 0, 0],
    ],
  },
  {
    what: 'alpha counts rewards, not advantages: none is 0, so it is 1',
    rewards: [[0.9, 0.1]],
    options: {},
    expected: [[0.4, -0.4]],
  },
  { what: 'fNorm divides', rewards: [[1, 0]], options: { fNorm: 4 }, expected: [[0.25, -0.25]] },
  {
    what: 'no reward at all gives zeros',
    rewards: [[0, 0], [0]],
    options: {},
    expected: [[0, 0], [0]],
  },
  {
    what: 'a lone trajectory gets alpha times its reward',
    rewards: [[2], [0, 0]],
    options: {},
    expected: [[6], [0, 0]],
  },
] as const)('$what', ({ rewards, options, expected }) => {
  expect(rounded(calculateGpgAdvantages(rewards, options), 12)).toEqual(expected);
});

test('it is Dr. GRPO times the trajectories of the batch per one that counts', () => {
  const reward = fc.constantFrom(0, 0, 0.5, 1);
  const batch = fc.array(fc.array(reward, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(batch, (rewards) => {
      const all = rewards.flat();
      const alpha = all.length / Math.max(1, all.filter((value) => value !== 0).length);
      const expected = calculateDrGrpoAdvantages(rewards).map((own) => own.map((value) => value * alpha));
      expect(rounded(calculateGpgAdvantages(rewards), 9)).toEqual(rounded(expected, 9));
    }),
  );
});

test('its options have defaults, and a norm of 0 is refused', () => {
  expect(gpgOptions.parse({})).toEqual({ count: 'nonzero_rewards', fNorm: 1 });
  expect(gpgOptions.safeParse({ fNorm: 0 }).success).toBe(false);
  expect(gpgOptions.safeParse({ alpha: 1 }).success).toBe(false);
});
