import { describe, expect, test } from 'vitest';
import {
  calculateGrpoAdvantages,
  calculateGrpoAdvantagesPerGroup,
  calculatePrpoAdvantages,
  calculateReinforceAdvantages,
  calculateReinforcePlusPlusBaselineAdvantages,
  calculateRlooAdvantages,
  calculateRlooAdvantagesPerGroup,
} from '../../src/advantage/index.js';

const rounded = (groups: readonly Float64Array[]): number[][] =>
  groups.map((group) => Array.from(group, (value) => Number(value.toFixed(6))));

describe('by hand', () => {
  test.each([
    { rewards: [[1, 0]], expected: [[0.999998, -0.999998]] },
    { rewards: [[1, 0, 0, 0]], expected: [[1.732047, -0.577349, -0.577349, -0.577349]] },
    { rewards: [[5]], expected: [[4.999995]] },
    {
      rewards: [
        [3, 1],
        [2, 2, 2],
      ],
      expected: [
        [0.999999, -0.999999],
        [0, 0, 0],
      ],
    },
  ])('grpo of $rewards is $expected', ({ rewards, expected }) => {
    expect(rounded(calculateGrpoAdvantages(rewards).advantages)).toEqual(expected);
  });

  test.each([
    { rewards: [[1, 0, 0, 0]], expected: [[0.75, -0.25, -0.25, -0.25]] },
    { rewards: [[5]], expected: [[5]] },
    {
      rewards: [
        [1, 2, 3, 4],
        [10, 12],
        [5, 6, 7],
      ],
      expected: [
        [-1.5, -0.5, 0.5, 1.5],
        [-1, 1],
        [-1, 0, 1],
      ],
    },
    {
      rewards: [
        [1, 2, 3, 4],
        [5, 5, 5],
        [0, 0, 0, 4],
      ],
      expected: [
        [-1.5, -0.5, 0.5, 1.5],
        [0, 0, 0],
        [-1, -1, -1, 3],
      ],
    },
  ])('grpo without std of $rewards is $expected', ({ rewards, expected }) => {
    const { advantages } = calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: false });
    expect(rounded(advantages)).toEqual(expected);
  });

  test('a large epsilon damps grpo: std 0.5 and epsilon 0.5 give half a unit each way', () => {
    expect(rounded(calculateGrpoAdvantages([[1, 0]], { epsilon: 0.5 }).advantages)).toEqual([[0.5, -0.5]]);
  });

  test.each([
    { rewards: [[1, 0, 0, 0]], expected: [[1, -0.333333, -0.333333, -0.333333]] },
    { rewards: [[5]], expected: [[5]] },
    {
      rewards: [
        [2, 0],
        [1, 1],
      ],
      expected: [
        [2, -2],
        [0, 0],
      ],
    },
  ])('rloo of $rewards is $expected', ({ rewards, expected }) => {
    expect(rounded(calculateRlooAdvantages(rewards).advantages)).toEqual(expected);
  });

  test('reinforce gives the rewards', () => {
    expect(rounded(calculateReinforceAdvantages([[1, 0.5], [-2]]).advantages)).toEqual([[1, 0.5], [-2]]);
  });

  test('reinforce++ baseline centres each group and divides by the std over the batch', () => {
    // Centred ±0.5 and ±1.5: the std over all four is √1.25 = 1.118034.
    const { advantages } = calculateReinforcePlusPlusBaselineAdvantages([
      [1, 0],
      [3, 0],
    ]);
    expect(rounded(advantages)).toEqual([
      [0.447213, -0.447213],
      [1.34164, -1.34164],
    ]);
  });

  test('reinforce++ baseline takes no baseline from a lone trajectory', () => {
    // Centred [2], [0.5, −0.5]: mean 2/3, std 1.027402.
    const { advantages } = calculateReinforcePlusPlusBaselineAdvantages([[2], [1, 0]]);
    expect(rounded(advantages)).toEqual([[1.946655], [0.486664, -0.486664]]);
  });

  test('reinforce++ baseline does not blow up lone trajectories with equal rewards', () => {
    expect(rounded(calculateReinforcePlusPlusBaselineAdvantages([[5], [5]]).advantages)).toEqual([
      [4.999995],
      [4.999995],
    ]);
  });

  test('the helpers for one group give the same as those for many', () => {
    const rewards = [0.2, 0.9, 0.4];
    expect(calculateGrpoAdvantagesPerGroup(rewards).advantages).toEqual(
      calculateGrpoAdvantages([rewards]).advantages[0],
    );
    expect(calculateRlooAdvantagesPerGroup(rewards).returns).toEqual(
      calculateRlooAdvantages([rewards]).returns[0],
    );
  });

  test('no groups give no advantages', () => {
    expect(calculateGrpoAdvantages([]).advantages).toEqual([]);
    expect(calculateReinforcePlusPlusBaselineAdvantages([]).advantages).toEqual([]);
  });

  test('takes rewards of lone trajectories that differ by float noise as equal, and no others', () => {
    const of = (rewards: number[][]): (number | undefined)[] =>
      calculateReinforcePlusPlusBaselineAdvantages(rewards).advantages.map(([own]) => own);
    for (const own of of([[0.1 + 0.2], [0.3], [0.3]])) expect(own).toBeCloseTo(0.3, 6);
    for (const own of of([[1], [1], [0.9999999]])) expect(own).toBeGreaterThan(900_000);
  });
});

const estimators = [
  { name: 'grpo', calculate: calculateGrpoAdvantages, centres: true },
  {
    name: 'grpo without std',
    calculate: (rewards: readonly ArrayLike<number>[]) =>
      calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: false }),
    centres: true,
  },
  { name: 'reinforce', calculate: calculateReinforceAdvantages, centres: false },
  {
    name: 'reinforce_plus_plus_baseline',
    calculate: calculateReinforcePlusPlusBaselineAdvantages,
    centres: true,
  },
  { name: 'rloo', calculate: calculateRlooAdvantages, centres: true },
];

describe.each(estimators.filter(({ centres }) => centres))('$name', ({ calculate }) => {
  test.each([
    { what: 'three tenths', rewards: [0.1, 0.1, 0.1] },
    { what: 'seven 0.7', rewards: new Array<number>(7).fill(0.7) },
    { what: 'seven thirds', rewards: new Array<number>(7).fill(1 / 3) },
    { what: 'a million each', rewards: [1e6, 1e6] },
    { what: 'zeros of both signs', rewards: [0, -0, 0] },
  ])('a uniform group ($what) gets exactly 0, and not −0', ({ rewards }) => {
    const [own] = calculate([rewards, [1, 0]]).advantages;
    for (const value of own ?? []) expect(value).toBe(0);
  });
});

describe.each(estimators)('$name', ({ calculate }) => {
  test('returns fresh arrays and leaves the rewards alone', () => {
    const rewards = [Float64Array.of(1, 0, 0.5)];
    const [own] = calculate(rewards).advantages;
    expect(own).not.toBe(rewards[0]);
    own?.fill(9);
    expect(Array.from(rewards[0] ?? [])).toEqual([1, 0, 0.5]);
  });

  test('−0 never comes out', () => {
    const values = calculate([[-0], [-0, -1], [-0, -0]]).advantages.flatMap((own) => Array.from(own));
    expect(values.filter((value) => Object.is(value, -0))).toEqual([]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'refuses a reward of %s and says where it stands',
    (bad) => {
      expect(() =>
        calculate([
          [1, 0],
          [1, bad],
        ]),
      ).toThrow(expect.objectContaining({ code: 'REWARD_NOT_FINITE', details: { group: 1, index: 1 } }));
    },
  );

  test('refuses an empty group', () => {
    expect(() => calculate([[1, 0], []])).toThrow(expect.objectContaining({ code: 'EMPTY_GROUP' }));
  });
});

test('two-pass variance: one failure among eight is √7 stds away, and no more', () => {
  const [own] = calculateGrpoAdvantages([[0, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95]]).advantages;
  expect(own?.[0]).toBeCloseTo(-Math.sqrt(7), 4);
  expect(own?.[1]).toBeCloseTo(1 / Math.sqrt(7), 4);
});

test('an offset of a hundred million does not eat the differences', () => {
  const [own] = calculateGrpoAdvantages([[1e8 + 1, 1e8, 1e8, 1e8]], { normAdvByStdInGrpo: false }).advantages;
  expect(Array.from(own ?? [])).toEqual([0.75, -0.25, -0.25, -0.25]);
});

describe('prpo', () => {
  const e = 1e-6;
  test.each([
    {
      rewards: [
        [1, 1],
        [0, 0],
      ],
      advantages: [
        [0.5 / (0.5 + e), 0.5 / (0.5 + e)],
        [-0.5 / (0.5 + e), -0.5 / (0.5 + e)],
      ],
    },
    // mean 0.5, squares 4 · 0.25 of 4
    {
      rewards: [[1], [0, 0, 1]],
      advantages: [[0.5 / (0.5 + e)], [-0.5 / (0.5 + e), -0.5 / (0.5 + e), 0.5 / (0.5 + e)]],
    },
    // mean 2, variance (4 + 0 + 4) / 3
    { rewards: [[0, 2, 4]], advantages: [[-2, 0, 2].map((d) => d / (Math.sqrt(8 / 3) + e))] },
    { rewards: [[0.1, 0.1], [0.1]], advantages: [[0, 0], [0]] },
    { rewards: [[7]], advantages: [[0]] },
    { rewards: [], advantages: [] },
  ])('$rewards', ({ rewards, advantages }) => {
    const result = calculatePrpoAdvantages(rewards).advantages.map((own) => [...own]);
    expect(result).toHaveLength(advantages.length);
    result.forEach((own, g) => {
      expect(own).toHaveLength(advantages[g]?.length ?? -1);
      own.forEach((value, i) => {
        expect(value).toBeCloseTo(advantages[g]?.[i] ?? Number.NaN, 12);
      });
    });
  });

  test('equal rewards give 0 and not −0, whatever their size', () => {
    expect(calculatePrpoAdvantages([[1 / 3, 1 / 3], [1 / 3]]).advantages).toEqual([
      Float64Array.of(0, 0),
      Float64Array.of(0),
    ]);
  });
});
