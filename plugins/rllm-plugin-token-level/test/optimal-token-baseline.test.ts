import fc from 'fast-check';
import { collectRewardsAndAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculateOptimalTokenBaselineAdvantages } from '../src/index.js';
import { like, logprob, tokenRows } from './arbitraries.js';
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

const logs = (...probabilities: readonly number[]): number[] => probabilities.map((p) => Math.log(p));

describe('by hand', () => {
  test('π 0.5 and 0.9: weights 0.25 and 0.01, baseline 0.25 / 0.26', () => {
    const { advantages } = calculateOptimalTokenBaselineAdvantages([[[1], [0]]], [[logs(0.5), logs(0.9)]]);
    expectRows(advantages, [[[1 / 26], [-25 / 26]]]);
  });

  test('weights add up along a trajectory', () => {
    // W is 0.25, 0.25 + 0.04 and 0.04, 0.04 + 0.25.
    const { advantages } = calculateOptimalTokenBaselineAdvantages(
      [
        [
          [0, 1],
          [0, 0],
        ],
      ],
      [[logs(0.5, 0.8), logs(0.8, 0.5)]],
    );
    expectRows(advantages, [
      [
        [1 - 25 / 29, 0.5],
        [-25 / 29, -0.5],
      ],
    ]);
  });

  test('with two words it is exact: the weight 1 − 2π + Σπ² is twice (1 − π)², and the factor cancels', () => {
    const exact = (p: number): number => 1 - 2 * p + p * p + (1 - p) * (1 - p);
    const probabilities = [0.3, 0.6, 0.95];
    const rewards = [1, 0.5, 0];
    const sum = probabilities.reduce((total, p) => total + exact(p), 0);
    const baseline = probabilities.reduce((total, p, i) => total + exact(p) * (rewards[i] ?? 0), 0) / sum;
    const { advantages } = calculateOptimalTokenBaselineAdvantages(
      [rewards.map((reward) => [reward])],
      [probabilities.map((p) => logs(p))],
    );
    expectRows(advantages, [rewards.map((reward) => [reward - baseline])]);
  });

  const ragged = [[[0, 0, 1], [1], [0]]];
  const even = [[logs(0.5, 0.5, 0.5), logs(0.5), logs(0.5)]];

  test('the tail of the longest alone has no baseline', () => {
    const { advantages } = calculateOptimalTokenBaselineAdvantages(ragged, even);
    expectRows(advantages, [[[1 / 3, 1, 1], [1 / 3], [-2 / 3]]]);
  });

  test('zeroTail false takes its own return there, which leaves exactly 0', () => {
    const { advantages } = calculateOptimalTokenBaselineAdvantages(ragged, even, { zeroTail: false });
    expectRows(advantages, [[[1 / 3, 0, 0], [1 / 3], [-2 / 3]]]);
    expect(Array.from(advantages[0]?.[0]?.subarray(1) ?? [])).toEqual([0, 0]);
  });

  test('a trajectory that ended does not count at later tokens', () => {
    const rows = [[[0, 1], [0, 0], [1]]];
    const { advantages } = calculateOptimalTokenBaselineAdvantages(rows, [
      [logs(0.5, 0.5), logs(0.5, 0.5), logs(0.5)],
    ]);
    expectRows(advantages, [[[1 / 3, 0.5], [-2 / 3, -0.5], [1 / 3]]]);
  });

  test.each([
    {
      what: 'a lone trajectory keeps its return',
      rows: [[[0, 1]]],
      policy: [[logs(0.5, 0.5)]],
      expected: [1, 1],
    },
    {
      what: 'one without tokens is no company',
      rows: [[[2], []]],
      policy: [[logs(0.5), []]],
      expected: [2],
    },
    { what: 'certain tokens count alike', rows: [[[1], [0]]], policy: [[[0], [0]]], expected: [0.5, -0.5] },
  ])('$what', ({ rows, policy, expected }) => {
    expect(flat(calculateOptimalTokenBaselineAdvantages(rows, policy).advantages)).toEqual(expected);
  });

  test.each([0.1, 0.7, 1 / 3, -0])(
    'a group whose rewards are all %d gets exactly 0, tail included',
    (reward) => {
      const { advantages } = calculateOptimalTokenBaselineAdvantages(
        [[[0, 0, reward], [reward], [0, reward]]],
        [[logs(0.2, 0.3, 0.4), logs(0.9), logs(0.5, 0.6)]],
      );
      for (const value of flat(advantages)) expect(value).toBe(0);
    },
  );

  test('keeps the digits of rewards of a million that differ by one', () => {
    const policy = [[logs(0.5), logs(0.9), logs(0.7)]];
    const near = flat(calculateOptimalTokenBaselineAdvantages([[[1], [0], [0.5]]], policy).advantages);
    const far = flat(
      calculateOptimalTokenBaselineAdvantages([[[1e6 + 1], [1e6], [1e6 + 0.5]]], policy).advantages,
    );
    far.forEach((value, t) => {
      expect(value).toBeCloseTo(near[t] ?? Number.NaN, 9);
    });
  });
});

describe('against the definition', () => {
  const cases = tokenRows.chain((rows) => fc.tuple(fc.constant(rows), like(rows, logprob)));

  test('B is the weighted mean return of those that have the token', () => {
    fc.assert(
      fc.property(cases, ([rows, policy]) => {
        const expected = rows.map((group, g) => {
          const toGo = group.map((row) => row.map((_, t) => row.slice(t).reduce((a, b) => a + b, 0)));
          const weight = (i: number, t: number): number =>
            (policy[g]?.[i] ?? []).slice(0, t + 1).reduce((sum, lp) => sum + (1 - Math.exp(lp)) ** 2, 0);
          const alone = group.filter((row) => row.length > 0).length < 2;
          return toGo.map((row) =>
            row.map((own, t) => {
              if (alone) return own;
              const there = toGo.flatMap((other, i) => (t < other.length ? [i] : []));
              const total = there.reduce((sum, i) => sum + weight(i, t), 0);
              const share = (i: number): number => (total > 0 ? weight(i, t) / total : 1 / there.length);
              return own - there.reduce((sum, i) => sum + share(i) * (toGo[i]?.[t] ?? Number.NaN), 0);
            }),
          );
        });
        const { advantages } = calculateOptimalTokenBaselineAdvantages(rows, policy, { zeroTail: false });
        expectRows(advantages, expected, 9);
      }),
    );
  });

  test('the weight used is within a factor of 2 of the exact one, whatever the rest of the vocabulary', () => {
    const distribution = fc
      .array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 20 })
      .map((counts) => counts.map((count) => count / counts.reduce((a, b) => a + b, 0)));
    fc.assert(
      fc.property(distribution, (probabilities) => {
        const [p = 0] = probabilities;
        const exact = 1 - 2 * p + probabilities.reduce((sum, q) => sum + q * q, 0);
        const used = (1 - p) ** 2;
        expect(exact).toBeGreaterThanOrEqual(
          (used * probabilities.length) / (probabilities.length - 1) - 1e-12,
        );
        expect(exact).toBeLessThanOrEqual(2 * used + 1e-12);
      }),
    );
  });

  test('adding a constant to the rewards of a group changes nothing but the tail', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: -20, max: 20 }), ([rows, policy], shift) => {
        const crowded = rows.filter((group) => group.filter((row) => row.length > 0).length > 1);
        const kept = policy.filter((_, g) => (rows[g] ?? []).filter((row) => row.length > 0).length > 1);
        const shifted = crowded.map((group) =>
          group.map((row) => row.map((value, t) => (t === row.length - 1 ? value + shift : value))),
        );
        const before = calculateOptimalTokenBaselineAdvantages(crowded, kept, { zeroTail: false }).advantages;
        expectRows(
          calculateOptimalTokenBaselineAdvantages(shifted, kept, { zeroTail: false }).advantages,
          before.map((group) => group.map((row) => [...row])),
          9,
        );
      }),
    );
  });

  test('groups do not influence each other', () => {
    fc.assert(
      fc.property(cases, ([rows, policy]) => {
        expect(calculateOptimalTokenBaselineAdvantages(rows, policy).advantages).toEqual(
          rows.flatMap(
            (group, g) => calculateOptimalTokenBaselineAdvantages([group], [policy[g] ?? []]).advantages,
          ),
        );
      }),
    );
  });
});

describe('collected', () => {
  test('tokens are aligned by their number among the sampled ones, whatever was read between', async () => {
    const steps = { tokens: 1, logprobs: logs(0.5) };
    const group = groupOfTrajectories([
      trajectoryOf(1, [steps, { ...steps, observed: 7 }]),
      trajectoryOf(0, [{ tokens: 2, logprobs: logs(0.5, 0.5) }]),
    ]);
    await withRegistry((registry) =>
      collectRewardsAndAdvantages([group], algorithmOf('optimal_token_baseline'), { registry }),
    );
    expect(stepAdvantages(group)).toEqual([[[0.5], [0.5]], [[-0.5, -0.5]]]);
  });

  test('a step without log-probs is an error that names it', async () => {
    const group = groupOfTrajectories([trajectoryOf(1, [{ tokens: 1 }], 'abc')]);
    await expect(estimate('optimal_token_baseline', [group])).rejects.toMatchObject({
      code: 'ESTIMATOR_INPUT',
      details: { stepId: 'abc:0', field: 'logprobs' },
    });
  });
});
