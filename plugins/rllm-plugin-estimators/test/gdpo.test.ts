import fc from 'fast-check';
import { RllmError } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { gdpo, gdpoOptions } from '../src/gdpo.js';
import { calculateGdpoAdvantages } from '../src/index.js';
import { algorithm, type GroupInit, group, mean, rounded, std, sum } from './support.js';

const correct = [
  [1, 0],
  [1, 1],
];
const format = [
  [1, 1],
  [0, 1],
];

describe('by hand', () => {
  test('each component counts where it differs', () => {
    expect(rounded(calculateGdpoAdvantages([correct, format], [1, 1]), 5)).toEqual([
      [1, -1],
      [-1, 1],
    ]);
  });

  test('with ddof 1 and epsilon 1e-4, as TRL', () => {
    const got = calculateGdpoAdvantages([correct, format], [1, 1], { ddof: 1, epsilon: 1e-4 });
    expect(rounded(got, 4)).toEqual([
      [0.8659, -0.8659],
      [-0.8659, 0.8659],
    ]);
  });

  test('weights count before the batch step: 3 and 1 about a root mean square of √5', () => {
    expect(rounded(calculateGdpoAdvantages([correct, format], [3, 1]), 4)).toEqual([
      [1.3416, -1.3416],
      [-0.4472, 0.4472],
    ]);
  });

  test('components that cancel out give 0', () => {
    expect(calculateGdpoAdvantages([[[1, 0]], [[0, 1]]], [1, 1])).toEqual([Float64Array.of(0, 0)]);
  });

  test('a lone trajectory gets 0 and does not move the others', () => {
    expect(rounded(calculateGdpoAdvantages([[[9], [1, 0]]], [1], { epsilon: 0 }), 6)).toEqual([
      [0],
      [1.224745, -1.224745],
    ]);
  });
});

test('it equals its definition, and every group sums to 0', () => {
  const value = fc.integer({ min: -40, max: 40 }).map((n) => n / 8);
  const component = fc.tuple(
    fc.array(value, { minLength: 3, maxLength: 3 }),
    fc.array(value, { minLength: 2, maxLength: 2 }),
    fc.array(value, { minLength: 4, maxLength: 4 }),
  );
  fc.assert(
    fc.property(component, component, fc.constantFrom(0 as const, 1 as const), (a, b, ddof) => {
      const normalised = (own: readonly number[]): number[] =>
        own.map((value) => (value - mean(own)) / (std(own, ddof) + 1e-6));
      const sums = a.map((own, g) => {
        const other = normalised(b[g] ?? []);
        return normalised(own).map((value, i) => 2 * value - 0.5 * (other[i] ?? Number.NaN));
      });
      const s = std(sums.flat(), ddof);
      const got = calculateGdpoAdvantages([a, b], [2, -0.5], { ddof });
      got.forEach((own, g) => {
        expect(sum(own)).toBeCloseTo(0, 9);
        own.forEach((value, i) => {
          expect(value).toBeCloseTo((sums[g]?.[i] ?? Number.NaN) / (s + 1e-6), 6);
        });
      });
    }),
  );
});

describe('the estimator reads named components', () => {
  const estimate = (components: GroupInit['components'], options: unknown = {}): number[][] => {
    const groups = [group([1, 1], components === undefined ? {} : { components })];
    const batch = { role: 'solver', rewards: [Float64Array.of(1, 1)], groups, algorithm };
    return rounded(
      gdpo({ ...batch, options: gdpoOptions.parse(options) }).advantages as readonly Float64Array[],
      5,
    );
  };
  const failure = (run: () => unknown): RllmError => {
    try {
      run();
    } catch (error) {
      if (error instanceof RllmError) return error;
    }
    throw new Error('no RllmError was thrown');
  };

  test('all that occur, and not the total', () => {
    expect(
      estimate([
        { correct: 1, format: 0.5 },
        { correct: 0, format: 0.5 },
      ]),
    ).toEqual([[1, -1]]);
  });

  test('only those with a weight, where weights are given', () => {
    const components = [
      { correct: 1, format: 0, note: 3 },
      { correct: 1, format: 1 },
    ];
    expect(estimate(components, { weights: { correct: 1, format: 1 } })).toEqual([[-1, 1]]);
  });

  test('one that a trajectory lacks is an error that names the trajectory and the component', () => {
    const error = failure(() => estimate([{ correct: 1, format: 1 }, { correct: 0 }]));
    expect(error.code).toBe('ESTIMATOR_INPUT');
    expect(error.message).toBe(
      'The trajectory of task "t", rollout 1, role "solver" has no reward component "format"; it has "correct".',
    );
  });

  test('one that is no finite number is an error that names both', () => {
    const error = failure(() => estimate([{ correct: 1 }, { correct: Number.NaN }]));
    expect(error.code).toBe('REWARD_NOT_FINITE');
    expect(error.message).toContain('rollout 1, role "solver" has NaN as reward component "correct"');
  });

  test('no components at all is an error that says where they come from', () => {
    const error = failure(() => estimate(undefined));
    expect(error.code).toBe('ESTIMATOR_INPUT');
    expect(error.message).toContain('trajectory.rewards');
  });
});

test('its options have defaults, and no weights at all are refused', () => {
  expect(gdpoOptions.parse({})).toEqual({ weights: null, ddof: 0, epsilon: 1e-6 });
  expect(gdpoOptions.safeParse({ weights: {} }).success).toBe(false);
  expect(gdpoOptions.safeParse({ weights: { correct: '1' } }).success).toBe(false);
});
