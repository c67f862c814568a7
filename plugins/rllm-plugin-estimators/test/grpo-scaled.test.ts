import fc from 'fast-check';
import { calculateGrpoAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { grpoScaledOptions } from '../src/grpo-scaled.js';
import { calculateGrpoScaledAdvantages } from '../src/index.js';
import { mean, rounded, std } from './support.js';

describe('by hand', () => {
  test.each([
    {
      system: 'rLLM',
      options: { scale: 'group', ddof: 0, epsilon: 1e-6 },
      expected: [1.732, -0.577, -0.577, -0.577],
    },
    {
      system: 'verl',
      options: { scale: 'group', ddof: 1, epsilon: 1e-6 },
      expected: [1.5, -0.5, -0.5, -0.5],
    },
    {
      system: 'TRL',
      options: { scale: 'group', ddof: 1, epsilon: 1e-4 },
      expected: [1.4997, -0.4999, -0.4999, -0.4999],
    },
    { system: 'Dr. GRPO', options: { scale: 'none' }, expected: [0.75, -0.25, -0.25, -0.25] },
  ] as const)('1, 0, 0, 0 as $system does it', ({ options, expected }) => {
    const digits = options.scale === 'group' && options.epsilon === 1e-4 ? 4 : 3;
    expect(rounded(calculateGrpoScaledAdvantages([[1, 0, 0, 0]], options), digits)).toEqual([expected]);
  });

  test('groups of two: ±1 with ddof 0, ±√½ with ddof 1', () => {
    expect(rounded(calculateGrpoScaledAdvantages([[1, 0]], { ddof: 0 }), 4)).toEqual([[1, -1]]);
    const [first] = calculateGrpoScaledAdvantages([[1, 0]], { ddof: 1 });
    expect(first?.[0]).toBeCloseTo(Math.SQRT1_2, 5);
    expect(first?.[1]).toBeCloseTo(-Math.SQRT1_2, 5);
  });

  test("by batch, as TRL: the group's mean, the std of all raw rewards", () => {
    const batch = [
      [1, 0],
      [1, 1, 1, 0],
    ];
    expect(
      rounded(calculateGrpoScaledAdvantages(batch, { scale: 'batch', ddof: 1, epsilon: 1e-4 }), 3),
    ).toEqual([
      [0.968, -0.968],
      [0.484, 0.484, 0.484, -1.452],
    ]);
  });

  test.each([
    { scale: 'group', expected: 5 / (1 + 1e-6) },
    { scale: 'batch', expected: 5 / (std([5, 1, 0], 0) + 1e-6) },
    { scale: 'none', expected: 5 },
  ] as const)('a lone trajectory by $scale gets $expected', ({ scale, expected }) => {
    expect(calculateGrpoScaledAdvantages([[5], [1, 0]], { scale })[0]?.[0]).toBeCloseTo(expected, 12);
  });

  test('lone trajectories with equal rewards are not divided by a std of 0', () => {
    expect(rounded(calculateGrpoScaledAdvantages([[5], [5]], { scale: 'batch', ddof: 1 }))).toEqual([
      [4.999995],
      [4.999995],
    ]);
  });

  test('without epsilon, one of eight that differs is √7 away, and not thousands', () => {
    const rewards = [0, ...new Array<number>(7).fill(0.95)];
    const [first] = calculateGrpoScaledAdvantages([rewards], { epsilon: 0 });
    expect(rounded([first ?? []], 4)).toEqual([[-2.6458, ...new Array<number>(7).fill(0.378)]]);
  });
});

const reward = fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8);
const groups = fc.array(fc.array(reward, { minLength: 2, maxLength: 9 }), { minLength: 1, maxLength: 5 });
const ddof = fc.constantFrom(0 as const, 1 as const);

test('it equals its definition', () => {
  fc.assert(
    fc.property(groups, ddof, fc.constantFrom('group' as const, 'batch' as const), (rewards, ddof, scale) => {
      const got = calculateGrpoScaledAdvantages(rewards, { scale, ddof, epsilon: 1e-4 });
      rewards.forEach((own, g) => {
        const s = std(scale === 'group' ? own : rewards.flat(), ddof);
        own.forEach((value, i) => {
          expect(got[g]?.[i]).toBeCloseTo((value - mean(own)) / (s + 1e-4), 8);
        });
      });
    }),
  );
});

test('by default it is the built-in grpo, to the last bit', () => {
  fc.assert(
    fc.property(groups, (rewards) => {
      expect(calculateGrpoScaledAdvantages(rewards)).toEqual(calculateGrpoAdvantages(rewards).advantages);
    }),
  );
});

test('scaling the rewards changes nothing without epsilon, however small or large they get', () => {
  fc.assert(
    fc.property(groups, fc.constantFrom(1e-200, 1e-9, 1e9, 1e200), (rewards, factor) => {
      for (const scale of ['group', 'batch'] as const) {
        const options = { scale, epsilon: 0 };
        const scaled = rewards.map((own) => own.map((value) => value * factor));
        const expected = calculateGrpoScaledAdvantages(rewards, options);
        calculateGrpoScaledAdvantages(scaled, options).forEach((own, g) => {
          own.forEach((value, i) => {
            expect(value).toBeCloseTo(expected[g]?.[i] ?? Number.NaN, 8);
          });
        });
      }
    }),
  );
});

test('its options have defaults, and other scales and ddofs are refused', () => {
  expect(grpoScaledOptions.parse({})).toEqual({ scale: 'group', ddof: 0, epsilon: 1e-6 });
  for (const wrong of [{ scale: 'task' }, { ddof: 2 }, { epsilon: -1 }, { eps: 1e-4 }]) {
    expect(grpoScaledOptions.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
  }
});

test('lone trajectories with rewards that differ by float noise are scaled by 1, others by their std', () => {
  const by = (rewards: number[][]): (number | undefined)[] =>
    calculateGrpoScaledAdvantages(rewards, { scale: 'batch' }).map(([own]) => own);
  for (const own of by([[0.1 + 0.2], [0.3], [0.3]])) expect(own).toBeCloseTo(0.3, 6);
  for (const own of by([[1], [1], [0.9999999]])) expect(own).toBeGreaterThan(900_000);
});
