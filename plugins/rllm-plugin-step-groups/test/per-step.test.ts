import fc from 'fast-check';
import { collectRewardsAndAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculatePerStepAdvantages, calculatePerStepDiscountedAdvantages } from '../src/index.js';
import { advantagesOfSteps, appWith, groupOfSteps, lists } from './support.js';

describe('each step among the steps at its position', () => {
  test('is centred and divided by their std', () => {
    const [group] = calculatePerStepAdvantages([[[1, 2], [3, 2], [5]]]);
    const std = Math.sqrt(8 / 3) + 1e-6;
    expect(group?.[0]?.[0]).toBeCloseTo(-2 / std, 14);
    expect(lists([group ?? []])[0]?.map((own) => own.slice(1))).toEqual([[0], [0], []]);
    expect(group?.[2]?.[0]).toBeCloseTo(2 / std, 14);
  });

  test('or only centred', () => {
    expect(lists(calculatePerStepAdvantages([[[1, 2], [3, 2], [5]]], { normByStd: false }))).toEqual([
      [[-2, 0], [0, 0], [2]],
    ]);
  });

  test.each([
    { lone: 'value', normByStd: false, expected: 4 },
    { lone: 'value', normByStd: true, expected: 4 / (1 + 1e-6) },
    { lone: 'zero', normByStd: true, expected: 0 },
  ] as const)(
    'a position that one trajectory reaches gives $expected by "$lone"',
    ({ expected, ...options }) => {
      expect(calculatePerStepAdvantages([[[1, 4], [1]]], options)[0]?.[0]?.[1]).toBe(expected);
    },
  );

  test.each([0.1, 0.7, 1 / 3])('values that are all %d give exactly 0', (value) => {
    for (const own of calculatePerStepAdvantages([[[value], [value], [value]]])[0] ?? []) {
      expect(Object.is(own[0], 0)).toBe(true);
    }
  });

  test('sums to 0 over each position that two or more reach, and equals the naive loop', () => {
    const values = fc.array(fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 4 }), { maxLength: 5 });
    fc.assert(
      fc.property(values, (group) => {
        const [got] = calculatePerStepAdvantages([group], { normByStd: false });
        for (let s = 0; s < 4; s++) {
          const reached = group.filter(({ length }) => length > s).map((own) => own[s] ?? 0);
          const mean =
            reached.length > 1 ? reached.reduce((sum, value) => sum + value, 0) / reached.length : 0;
          const column = got?.filter(({ length }) => length > s).map((own) => own[s] ?? Number.NaN) ?? [];
          reached.forEach((value, k) => {
            expect(column[k]).toBeCloseTo(value - mean, 12);
          });
          if (reached.length > 1) expect(column.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 12);
        }
      }),
    );
  });

  test('no batch and an empty group are fine', () => {
    expect(calculatePerStepAdvantages([])).toEqual([]);
    expect(calculatePerStepAdvantages([[]])).toEqual([[]]);
  });
});

describe('discounted per step', () => {
  test('is the return less the mean return at the position', () => {
    const rewards = [[[0, 1], [0, 0], [1]]];
    expect(lists(calculatePerStepDiscountedAdvantages(rewards, 0.5))).toEqual([
      [[0, 0.5], [-0.5, -0.5], [0.5]],
    ]);
  });

  test('with γ = 1 and an outcome at the end it is the centred reward, where all are of one length', () => {
    const rewards = [
      [
        [0, 0, 1],
        [0, 0, 0],
      ],
    ];
    expect(lists(calculatePerStepDiscountedAdvantages(rewards, 1))).toEqual([
      [
        [0.5, 0.5, 0.5],
        [-0.5, -0.5, -0.5],
      ],
    ]);
  });
});

describe('in a collection', () => {
  const group = () =>
    groupOfSteps(
      [1, 0],
      [
        [
          ['a', 0],
          ['b', 1],
          ['c', 0, 1],
        ],
        [
          ['a', 0],
          ['b', 0],
        ],
      ],
    );

  test.each([
    {
      options: {},
      expected: [
        [
          [0.5, 0.5, 0],
          [-0.5, -0.5],
        ],
      ],
    },
    {
      options: { value: 'step' as const },
      expected: [
        [
          [0, 0.5, 0],
          [0, -0.5],
        ],
      ],
    },
    {
      options: { gamma: 0.5 },
      expected: [
        [
          [0.25, 0.5, 0],
          [-0.25, -0.5],
        ],
      ],
    },
  ])('per_step takes $options', async ({ options, expected }) => {
    await using app = await appWith({
      algorithm: { estimator: 'per_step', estimatorOptions: { per_step: { normByStd: false, ...options } } },
    });
    const own = group();
    collectRewardsAndAdvantages([own], app.config.algorithm, { registry: app.estimators });
    expect(advantagesOfSteps([own])).toEqual(expected);
  });

  test('per_step reads mcReturn where it is told to', async () => {
    await using app = await appWith({
      algorithm: {
        estimator: 'per_step',
        estimatorOptions: { per_step: { value: 'mcReturn', normByStd: false } },
      },
    });
    const own = group();
    for (const [i, { steps }] of own.trajectories.entries()) for (const step of steps) step.mcReturn = i;
    collectRewardsAndAdvantages([own], app.config.algorithm, { registry: app.estimators });
    expect(advantagesOfSteps([own])).toEqual([
      [
        [-0.5, -0.5, 0],
        [0.5, 0.5],
      ],
    ]);
  });

  test.each([
    { loneTrajectory: 'reward', expected: 0.25 },
    { loneTrajectory: 'zero', expected: 0 },
    { loneTrajectory: 'drop', expected: 0 },
  ] as const)(
    'a lone step is treated by loneTrajectory "$loneTrajectory"',
    async ({ loneTrajectory, expected }) => {
      await using app = await appWith({ algorithm: { estimator: 'per_step_discounted', loneTrajectory } });
      const own = groupOfSteps([0.25, 0], [[['a'], ['b', 0.25]], [['a']]]);
      collectRewardsAndAdvantages([own], app.config.algorithm, { registry: app.estimators });
      expect(advantagesOfSteps([own])[0]?.[0]?.[1]).toBe(expected);
    },
  );

  test.each(['gigpo', 'step_reinforce', 'per_step', 'per_step_discounted'])(
    '%s refuses a step whose reward is no number, though nothing is compared with it',
    async (estimator) => {
      await using app = await appWith({ algorithm: { estimator } });
      const own = groupOfSteps(
        [1, 0],
        [
          [
            ['a', 0],
            ['b', Number.NaN],
          ],
          [['c', 0]],
        ],
      );
      expect(() =>
        collectRewardsAndAdvantages([own], app.config.algorithm, { registry: app.estimators }),
      ).toThrow(/task:0:agent:0.* is worth NaN/);
    },
  );
});
