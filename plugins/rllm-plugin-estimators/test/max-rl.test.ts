import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calculateMaxRlAdvantages } from '../src/index.js';
import { mean, rounded, sum } from './support.js';

test.each([
  { what: 'one success in four', rewards: [1, 0, 0, 0], expected: [3, -1, -1, -1] },
  {
    what: 'a negative mean gives zeros: the worse one is never rewarded',
    rewards: [-1, 0],
    expected: [0, 0],
  },
  { what: 'a mean of 0 gives zeros', rewards: [-1, 1], expected: [0, 0] },
  { what: 'a negative reward under a positive mean', rewards: [3, -1], expected: [2, -2] },
  { what: 'a lone trajectory is its own mean', rewards: [5], expected: [0] },
  { what: 'a lone failure', rewards: [-5], expected: [0] },
])('$what', ({ rewards, expected }) => {
  expect(rounded(calculateMaxRlAdvantages([rewards]), 12)).toEqual([expected]);
});

const rewards = fc.array(
  fc.integer({ min: 0, max: 800 }).map((n) => n / 8),
  { minLength: 1, maxLength: 12 },
);

test('rewards of 0 and more give its definition, between −1 and G − 1, with sum 0', () => {
  fc.assert(
    fc.property(rewards, (own) => {
      const got = [...(calculateMaxRlAdvantages([own])[0] ?? [])];
      expect(sum(got)).toBeCloseTo(0, 9);
      const about = mean(own);
      own.forEach((value, i) => {
        expect(got[i]).toBeCloseTo(about > 0 ? (value - about) / about : 0, 9);
        expect(got[i]).toBeGreaterThanOrEqual(-1 - 1e-12);
        expect(got[i]).toBeLessThanOrEqual(own.length - 1 + 1e-9);
      });
    }),
  );
});

test('scaling the rewards changes nothing', () => {
  fc.assert(
    fc.property(rewards, fc.constantFrom(1e-9, 0.5, 1e6), (own, scale) => {
      const scaled = calculateMaxRlAdvantages([own.map((value) => value * scale)]);
      expect(rounded(scaled, 8).flat()).toEqual(rounded(calculateMaxRlAdvantages([own]), 8).flat());
    }),
  );
});

test.each([[[0.1, 0.2, -0.3]], [[1e9, 2e9 + 0.1, -3e9 - 0.1]]])(
  '%j has a mean of float noise, and gives zeros',
  (rewards) => {
    expect(Array.from(calculateMaxRlAdvantages([rewards])[0] ?? [])).toEqual([0, 0, 0]);
  },
);

test('a rare success is no noise', () => {
  const rewards = new Array<number>(4096).fill(0).with(0, 1e-6);
  expect(calculateMaxRlAdvantages([rewards])[0]?.[0]).toBeCloseTo(4095, 8);
});
