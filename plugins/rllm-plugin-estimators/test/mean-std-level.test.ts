import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calculateMeanStdLevelAdvantages } from '../src/index.js';
import { meanStdLevelOptions } from '../src/mean-std-level.js';
import { mean, rounded, sum } from './support.js';

const twoGroups = [
  [1, 1],
  [0, 0],
];

test.each([
  {
    what: 'group over group',
    rewards: [[1, 0, 0, 0]],
    options: { meanLevel: 'group', stdLevel: 'group' },
    expected: [[1.49997, -0.49999, -0.49999, -0.49999]],
  },
  {
    what: 'group over nothing',
    rewards: [[1, 0, 0, 0]],
    options: { meanLevel: 'group', stdLevel: 'none' },
    expected: [[0.75, -0.25, -0.25, -0.25]],
  },
  {
    what: 'batch over batch: uniform groups are compared with each other',
    rewards: twoGroups,
    options: {},
    expected: [
      [0.86601, 0.86601],
      [-0.86601, -0.86601],
    ],
  },
  {
    what: 'leave-one-out over nothing',
    rewards: [[1, 0, 0, 0]],
    options: { meanLevel: 'group', stdLevel: 'none', leaveOneOut: true },
    expected: [[1, -0.33333, -0.33333, -0.33333]],
  },
  {
    what: 'leave-one-out over the group is as without: the factor is in both',
    rewards: [[1, 0, 0, 0]],
    options: { meanLevel: 'group', stdLevel: 'group', leaveOneOut: true },
    expected: [[1.49998, -0.49999, -0.49999, -0.49999]],
  },
  {
    what: 'no mean: the std is a root mean square',
    rewards: [[3, 4, 0, 0]],
    options: { meanLevel: 'none', stdLevel: 'group', unbiased: false, epsilon: 0 },
    expected: [[1.2, 1.6, 0, 0]],
  },
  {
    what: 'neither: the rewards',
    rewards: [[3], [4, 4]],
    options: { meanLevel: 'none', stdLevel: 'none' },
    expected: [[3], [4, 4]],
  },
  {
    what: 'a lone trajectory is its own mean',
    rewards: [[3]],
    options: { meanLevel: 'group', stdLevel: 'group' },
    expected: [[0]],
  },
  {
    what: 'a lone trajectory, left out of its own mean, over a std of 1',
    rewards: [[3]],
    options: { meanLevel: 'group', stdLevel: 'group', leaveOneOut: true, epsilon: 0 },
    expected: [[3]],
  },
  { what: 'a batch of one', rewards: [[3]], options: {}, expected: [[0]] },
] as const)('$what', ({ rewards, options, expected }) => {
  expect(rounded(calculateMeanStdLevelAdvantages(rewards, options), 5)).toEqual(expected);
});

const level = fc.constantFrom('batch' as const, 'group' as const, 'none' as const);
const reward = fc.integer({ min: -400, max: 400 }).map((n) => n / 8);
const batches = fc.array(fc.array(reward, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 4 });

test('it equals its definition under every combination', () => {
  const options = fc.record({
    meanLevel: level,
    stdLevel: level,
    leaveOneOut: fc.boolean(),
    unbiased: fc.boolean(),
  });
  fc.assert(
    fc.property(batches, options, (rewards, { meanLevel, stdLevel, leaveOneOut, unbiased }) => {
      const all = rewards.flat();
      const centred = rewards.map((own) =>
        own.map((value) => {
          if (meanLevel === 'none') return value;
          const among = meanLevel === 'batch' ? all : own;
          return value - (leaveOneOut ? (sum(among) - value) / (among.length - 1) : mean(among));
        }),
      );
      const got = calculateMeanStdLevelAdvantages(rewards, { meanLevel, stdLevel, leaveOneOut, unbiased });
      centred.forEach((own, g) => {
        const among = stdLevel === 'batch' ? centred.flat() : own;
        const squares = sum(among.map((value) => value ** 2));
        const s = stdLevel === 'none' ? 1 : Math.sqrt(squares / (among.length - (unbiased ? 1 : 0))) + 1e-5;
        own.forEach((value, i) => {
          expect(got[g]?.[i]).toBeCloseTo(value / s, 6);
        });
      });
    }),
  );
});

test('its defaults are those of AReaL', () => {
  expect(meanStdLevelOptions.parse({})).toEqual({
    meanLevel: 'batch',
    stdLevel: 'batch',
    leaveOneOut: false,
    unbiased: true,
    epsilon: 1e-5,
  });
});

test('leave-one-out without a mean is refused with the reason', () => {
  const refused = meanStdLevelOptions.safeParse({ meanLevel: 'none', leaveOneOut: true });
  expect(refused.error?.issues).toEqual([
    expect.objectContaining({ path: ['leaveOneOut'], message: expect.stringContaining('there is no mean') }),
  ]);
});
