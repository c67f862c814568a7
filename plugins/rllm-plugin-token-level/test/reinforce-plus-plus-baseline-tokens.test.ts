import fc from 'fast-check';
import { collectRewardsAndAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculateReinforcePlusPlusBaselineTokenAdvantages } from '../src/index.js';
import {
  algorithmOf,
  estimate,
  expectRows,
  flat,
  groupOfTrajectories,
  stepAdvantages,
  trajectoryOf,
  withRegistry,
} from './support.js';

const rewards = [
  [1, 0],
  [1, 1, 1, 0],
];
const lengths = [
  [1, 9],
  [1, 1, 1, 7],
];

describe('by hand', () => {
  test('the example: a long wrong answer gets a smaller penalty than by trajectory', () => {
    const { advantages } = calculateReinforcePlusPlusBaselineTokenAdvantages(rewards, lengths);
    const first = advantages.map((group) => group.map(([value = Number.NaN]) => Number(value.toFixed(2))));
    expect(first).toEqual([
      [2.32, -0.19],
      [1.7, 1.7, 1.7, -0.82],
    ]);
    expect(advantages.map((group) => group.map(({ length }) => length))).toEqual(lengths);
  });

  test('over n, as OpenRLHF, the same would be 2.38, −0.19, then 1.74 and −0.84', () => {
    const values = flat(calculateReinforcePlusPlusBaselineTokenAdvantages(rewards, lengths).advantages);
    const n = values.length;
    const over = (t: number): string => ((values[t] ?? Number.NaN) * Math.sqrt(n / (n - 1))).toFixed(2);
    expect([over(0), over(1), over(10), over(19)]).toEqual(['2.38', '-0.19', '1.74', '-0.84']);
  });

  test('returns are the rewards less the group mean', () => {
    const { returns } = calculateReinforcePlusPlusBaselineTokenAdvantages([[1, 0]], [[1, 2]]);
    expectRows(returns, [[[0.5], [-0.5, -0.5]]]);
  });

  test('a lone trajectory takes no baseline, as in verl', () => {
    const { returns } = calculateReinforcePlusPlusBaselineTokenAdvantages([[2], [1, 0]], [[1], [1, 1]]);
    expect(flat(returns)).toEqual([2, 0.5, -0.5]);
  });

  test('a uniform group gets exactly 0; by option what whitening makes of it', () => {
    const uniform = [[0.1, 0.1, 0.1], ...rewards];
    const tokens = [[2, 1, 1], ...lengths];
    const zero = calculateReinforcePlusPlusBaselineTokenAdvantages(uniform, tokens).advantages;
    for (const value of flat([zero[0] ?? []])) expect(value).toBe(0);
    const whitened = calculateReinforcePlusPlusBaselineTokenAdvantages(uniform, tokens, {
      uniformGroups: 'whiten',
    }).advantages;
    const [first = 0] = flat([whitened[0] ?? []]);
    expect(first).toBeGreaterThan(0.1);
    expect(flat(whitened).reduce((a, b) => a + b, 0)).toBeCloseTo(0, 10);
    expect(flat(whitened.slice(1))).toEqual(flat(zero.slice(1)));
  });

  test('a batch of uniform groups gives exactly 0', () => {
    const { advantages } = calculateReinforcePlusPlusBaselineTokenAdvantages(
      [
        [0.7, 0.7],
        [1 / 3, 1 / 3],
      ],
      [
        [1, 2],
        [3, 4],
      ],
      { uniformGroups: 'whiten' },
    );
    for (const value of flat(advantages)) expect(value).toBe(0);
  });

  test.each([{ lengths: [[1]] }, { lengths: [[1, 2], [1]] }])(
    'lengths $lengths of two rewards are an error',
    (given) => {
      expect(() => calculateReinforcePlusPlusBaselineTokenAdvantages([[1, 0]], given.lengths)).toThrow(
        expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
      );
    },
  );

  test('variance is taken in two passes: one 0 among seven 0.95 gives −√(49/8), where E[x²] − E[x]² cancels', () => {
    const near = [[0, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95]];
    const { advantages } = calculateReinforcePlusPlusBaselineTokenAdvantages(near, [new Array(8).fill(1)]);
    expect(Math.min(...flat(advantages))).toBeCloseTo(-Math.sqrt(49 / 8), 6);
  });
});

test('against the definition', () => {
  const trajectory = fc.tuple(
    fc.integer({ min: -20, max: 20 }).map((n) => n / 4),
    fc.integer({ min: 0, max: 6 }),
  );
  const batch = fc.array(fc.array(trajectory, { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(batch, (groups) => {
      const given = groups.map((group) => group.map(([reward]) => reward));
      const tokens = groups.map((group) => group.map(([, length]) => length));
      const centred = given.map((group) => {
        const mean = group.length > 1 ? group.reduce((a, b) => a + b, 0) / group.length : 0;
        return group.map((reward) => reward - mean);
      });
      const rows = centred.map((group, g) =>
        group.map((c, i) => new Array<number>(tokens[g]?.[i] ?? 0).fill(c)),
      );
      const all = rows.flat(2);
      const mean = all.reduce((a, b) => a + b, 0) / all.length;
      const variance = all.reduce((sum, c) => sum + (c - mean) ** 2, 0) / (all.length - 1);
      const spread = all.length > 1 && variance > 1e-12;
      const { advantages } = calculateReinforcePlusPlusBaselineTokenAdvantages(given, tokens, {
        uniformGroups: 'whiten',
      });
      expectRows(
        advantages,
        rows.map((group) =>
          group.map((row) => row.map((c) => (spread ? (c - mean) / Math.sqrt(variance + 1e-8) : 0))),
        ),
        6,
      );
    }),
  );
});

describe('collected', () => {
  test('all tokens of all steps of a trajectory get the same', async () => {
    const groups = [
      groupOfTrajectories([
        trajectoryOf(1, [{ tokens: 1 }]),
        trajectoryOf(0, [{ tokens: 4 }, { tokens: 5, observed: 3 }]),
      ]),
    ];
    await withRegistry((registry) =>
      collectRewardsAndAdvantages(groups, algorithmOf('reinforce_plus_plus_baseline_tokens'), { registry }),
    );
    // c is 0.5 once and −0.5 nine times: mean −0.4, variance 0.1.
    const scale = Math.sqrt(0.1 + 1e-8);
    const right = 0.9 / scale;
    const wrong = -0.1 / scale;
    const near = (value: number): unknown => expect.closeTo(value, 12);
    expect(stepAdvantages(groups[0]!)).toEqual([
      [[near(right)]],
      [new Array(4).fill(near(wrong)), new Array(5).fill(near(wrong))],
    ]);
  });

  test('its option reaches it', async () => {
    const groups = [
      groupOfTrajectories([trajectoryOf(1, [{ tokens: 1 }]), trajectoryOf(1, [{ tokens: 1 }])]),
      groupOfTrajectories([trajectoryOf(1, [{ tokens: 3 }]), trajectoryOf(0, [{ tokens: 1 }])]),
    ];
    const name = 'reinforce_plus_plus_baseline_tokens';
    const [byDefault] = await estimate(name, groups);
    expect(flat([byDefault ?? []])).toEqual([0, 0]);
    const [asVerl] = await estimate(name, groups, { options: { uniformGroups: 'whiten' } });
    expect(flat([asVerl ?? []])[0]).toBeLessThan(-0.1);
  });
});
