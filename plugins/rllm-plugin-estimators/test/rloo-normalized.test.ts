import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calculateRlooNormalizedAdvantages } from '../src/index.js';
import { rlooNormalizedOptions } from '../src/rloo-normalized.js';
import { mean, rounded, std } from './support.js';

test.each([
  {
    what: 'one success in four: 1 and −1/3 over the std of the whole group',
    rewards: [[1, 0, 0, 0]],
    options: {},
    expected: [[2.309, -0.77, -0.77, -0.77]],
  },
  {
    what: 'one failure in eight stays at 8/7 · √7',
    rewards: [[0, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95]],
    options: { epsilon: 0 },
    expected: [[-3.024, 0.432, 0.432, 0.432, 0.432, 0.432, 0.432, 0.432]],
  },
  {
    what: 'over the residuals of the batch, as TRL',
    rewards: [
      [1, 0],
      [1, 1, 1, 0],
    ],
    options: { scale: 'batch', ddof: 1, epsilon: 1e-4 },
    expected: [
      [1.225, -1.225],
      [0.408, 0.408, 0.408, -1.225],
    ],
  },
  { what: 'a lone trajectory', rewards: [[5]], options: { epsilon: 1 }, expected: [[2.5]] },
  {
    what: 'lone trajectories with equal rewards are not divided by a std of 0',
    rewards: [[5], [5]],
    options: { scale: 'batch', epsilon: 0 },
    expected: [[5], [5]],
  },
] as const)('$what', ({ rewards, options, expected }) => {
  expect(rounded(calculateRlooNormalizedAdvantages(rewards, options), 3)).toEqual(expected);
});

test('it equals its definition', () => {
  const reward = fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8);
  const batch = fc.array(fc.array(reward, { minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 5 });
  const scales = fc.constantFrom('group' as const, 'batch' as const);
  fc.assert(
    fc.property(batch, scales, fc.constantFrom(0 as const, 1 as const), (rewards, scale, ddof) => {
      const residuals = rewards.map((own) =>
        own.map((value, i) => value - mean(own.filter((_, j) => j !== i))),
      );
      const got = calculateRlooNormalizedAdvantages(rewards, { scale, ddof, epsilon: 1e-4 });
      residuals.forEach((own, g) => {
        const s = std(scale === 'group' ? (rewards[g] ?? []) : residuals.flat(), ddof);
        own.forEach((value, i) => {
          expect(got[g]?.[i]).toBeCloseTo(value / (s + 1e-4), 7);
        });
      });
    }),
  );
});

test('a leave-one-out std is refused with the reason', () => {
  const refused = rlooNormalizedOptions.safeParse({ scale: 'leave_one_out' });
  expect(refused.error?.issues).toEqual([
    expect.objectContaining({
      path: ['scale'],
      message: expect.stringContaining('cannot be divided by a leave-one-out std'),
    }),
  ]);
  expect(rlooNormalizedOptions.parse({})).toEqual({ scale: 'group', ddof: 0, epsilon: 1e-6 });
});

test('lone trajectories with rewards that differ by float noise are scaled by 1, others by their std', () => {
  const by = (rewards: number[][]): (number | undefined)[] =>
    calculateRlooNormalizedAdvantages(rewards, { scale: 'batch' }).map(([own]) => own);
  for (const own of by([[0.1 + 0.2], [0.3], [0.3]])) expect(own).toBeCloseTo(0.3, 6);
  for (const own of by([[1], [1], [0.9999999]])) expect(own).toBeGreaterThan(900_000);
});
