import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entropicOptions } from '../src/entropic.js';
import { entropicAdaptiveBetaOptions, spendingBeta } from '../src/entropic-adaptive-beta.js';
import { calculateEntropicAdaptiveBetaAdvantages, calculateEntropicAdvantages } from '../src/index.js';
import { mean, rounded, sum } from './support.js';

describe('with a fixed beta', () => {
  test.each([
    { what: 'one success in four', rewards: [1, 0, 0, 0], expected: [6.39, -0.68, -0.68, -0.68] },
    { what: 'a group of two', rewards: [1, 0], expected: [6.39, -0.86] },
    { what: 'a winner far ahead is bounded', rewards: [100, 0, 0, 0], expected: [100, -1, -1, -1] },
    { what: 'a lone trajectory', rewards: [5], expected: [0] },
  ])('$what', ({ rewards, expected }) => {
    expect(rounded(calculateEntropicAdvantages([rewards]), 2)).toEqual([expected]);
  });

  test('the advantages of a group do not sum to 0', () => {
    expect(sum(calculateEntropicAdvantages([[1, 0, 0, 0]])[0] ?? [])).toBeCloseTo(4.35, 2);
  });

  test('without a bound, a winner far ahead gets what the 1e-12 under it leaves', () => {
    const [first] = calculateEntropicAdvantages([[100, 0, 0, 0]], { maxAdvantage: null });
    expect(first?.[0]).toBeCloseTo(1e12, -3);
  });

  test('a small rest beside the winner is not lost: e⁻⁴⁰ is far below the rounding of 1', () => {
    const [first] = calculateEntropicAdvantages([[20, 0, 0]], { maxAdvantage: null });
    expect(first?.[0]).toBeCloseTo(1 / (Math.exp(-40) + 1e-12) - 1, -6);
  });

  test('it equals its definition by a naive loop', () => {
    const group = fc.array(
      fc.integer({ min: -24, max: 24 }).map((n) => n / 8),
      { minLength: 2, maxLength: 9 },
    );
    fc.assert(
      fc.property(group, fc.constantFrom(0.5, 1, 2), (rewards, beta) => {
        const got = calculateEntropicAdvantages([rewards], { beta, maxAdvantage: null })[0];
        const uniform = rewards.every((value) => value === rewards[0]);
        const tilted = rewards.map((value) => Math.exp(beta * (value - Math.max(...rewards))));
        tilted.forEach((own, i) => {
          const others = mean(tilted.filter((_, j) => j !== i));
          const expected = uniform ? 0 : own / (others + 1e-12) - 1;
          expect(Math.abs((got?.[i] ?? Number.NaN) - expected)).toBeLessThan(1e-9 * (1 + Math.abs(expected)));
        });
      }),
    );
  });
});

describe('with a beta of each group', () => {
  test.each([
    {
      what: 'one success in four',
      rewards: [1, 0, 0, 0],
      expected: [11.85, -0.8, -0.8, -0.8],
      beta: 2.553,
    },
    {
      what: 'a close second',
      rewards: [1, 0.9, 0.1, 0],
      expected: [4.18, 0.69, -0.99, -0.99],
      beta: 5.63,
    },
    {
      what: 'more than half win: the budget is out of reach, and beta at its bound',
      rewards: [1, 1, 1, 0],
      expected: [0.5, 0.5, 0.5, -1],
      beta: 1e6,
    },
  ])('$what', ({ rewards, expected, beta }) => {
    expect(rounded(calculateEntropicAdaptiveBetaAdvantages([rewards]), 2)).toEqual([expected]);
    const found = spendingBeta(Float64Array.from(rewards), Math.LN2, 1e6);
    expect(found / beta).toBeCloseTo(1, 3);
  });

  test('two rollouts get the bound and −1, however close they are', () => {
    for (const rewards of [
      [1, 0],
      [0.51, 0.5],
    ]) {
      expect(rounded(calculateEntropicAdaptiveBetaAdvantages([rewards]), 9)).toEqual([[100, -1]]);
    }
  });

  test('a lone trajectory gets 0', () => {
    expect(calculateEntropicAdaptiveBetaAdvantages([[5]])).toEqual([Float64Array.of(0)]);
  });

  test('the tilted weights spend the budget', () => {
    const group = fc
      .uniqueArray(fc.integer({ min: -40, max: 40 }), { minLength: 3, maxLength: 9 })
      .map((values) => Float64Array.from(values, (n) => n / 8));
    fc.assert(
      fc.property(group, (rewards) => {
        const beta = spendingBeta(rewards, Math.LN2, 1e6);
        const weights = Array.from(rewards, (value) => Math.exp(beta * (value - Math.max(...rewards))));
        const q = weights.map((weight) => weight / sum(weights));
        const kl = sum(q.map((own) => (own === 0 ? 0 : own * Math.log(own * q.length))));
        expect(kl).toBeCloseTo(Math.LN2, 9);
      }),
    );
  });

  test('a shift and a scale of the rewards change nothing', () => {
    const group = fc.uniqueArray(fc.integer({ min: -40, max: 40 }), { minLength: 3, maxLength: 9 });
    fc.assert(
      fc.property(
        group,
        fc.constantFrom(0.25, 8, 1024),
        fc.integer({ min: -99, max: 99 }),
        (own, by, shift) => {
          const moved = calculateEntropicAdaptiveBetaAdvantages([own.map((value) => value * by + shift)]);
          const expected = calculateEntropicAdaptiveBetaAdvantages([own]);
          expect(rounded(moved, 6)).toEqual(rounded(expected, 6));
        },
      ),
    );
  });
});

test('their options have defaults, and a beta of 0 is refused', () => {
  expect(entropicOptions.parse({})).toEqual({ beta: 2, maxAdvantage: 100 });
  expect(entropicAdaptiveBetaOptions.parse({})).toEqual({
    klBudget: Math.LN2,
    maxBeta: 1e6,
    maxAdvantage: 100,
  });
  expect(entropicOptions.safeParse({ beta: 0 }).success).toBe(false);
  expect(entropicAdaptiveBetaOptions.safeParse({ beta: 2 }).success).toBe(false);
});
