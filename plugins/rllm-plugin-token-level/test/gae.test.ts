import fc from 'fast-check';
import { collectRewardsAndAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculateGaeAdvantages, calculateReinforcePlusPlusAdvantages } from '../src/index.js';
import { like, tokenRows } from './arbitraries.js';
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

const rewards = [[[0, 0, 1]]];
const values = [[[0.1, 0.2, 0.3]]];

describe('by hand', () => {
  test.each([
    { what: 'γ 1, λ 0.95', parameters: { lambda: 0.95 }, expected: [0.82675, 0.765, 0.7] },
    { what: 'λ 1 gives returns less values', parameters: { lambda: 1 }, expected: [0.9, 0.8, 0.7] },
    { what: 'λ 0 gives one-step errors', parameters: { lambda: 0 }, expected: [0.1, 0.1, 0.7] },
    { what: 'γ 0.5, λ 1', parameters: { gamma: 0.5, lambda: 1 }, expected: [0.15, 0.3, 0.7] },
    {
      what: 'cut off, so that it goes on at its last value',
      parameters: { lambda: 0.95, truncated: [[true]] },
      expected: [1.0975, 1.05, 1],
    },
  ])('$what', ({ parameters, expected }) => {
    expectRows(calculateGaeAdvantages(rewards, values, { ...parameters, whiten: false }).advantages, [
      [expected],
    ]);
  });

  test('returns are advantages plus values, whitened or not', () => {
    const expected = [[[0.92675, 0.965, 1]]];
    expectRows(calculateGaeAdvantages(rewards, values, { whiten: false }).returns, expected);
    expectRows(calculateGaeAdvantages(rewards, values).returns, expected);
  });

  test('whitening: mean 0.763917, std 0.063382 over n − 1', () => {
    const mean = (0.82675 + 0.765 + 0.7) / 3;
    const std = Math.sqrt(((0.82675 - mean) ** 2 + (0.765 - mean) ** 2 + (0.7 - mean) ** 2) / 2 + 1e-8);
    const expected = [0.82675, 0.765, 0.7].map((value) => (value - mean) / std);
    expectRows(calculateGaeAdvantages(rewards, values).advantages, [[expected]]);
  });

  test('one token alone is whitened to exactly 0', () => {
    expect(flat(calculateGaeAdvantages([[[1]]], [[[0.25]]]).advantages)).toEqual([0]);
  });

  test.each([
    { what: 'too few values', wrong: [[[0.1, 0.2]]] },
    { what: 'no trajectory', wrong: [[]] },
    { what: 'no group', wrong: [] },
    { what: 'a value that is not finite', wrong: [[[0.1, Number.NaN, 0.3]]] },
  ])('$what is an error', ({ wrong }) => {
    expect(() => calculateGaeAdvantages(rewards, wrong)).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
    );
  });
});

describe('against the definition', () => {
  test('A is Σ (γλ)^k δ, each δ from its own two values', () => {
    const cases = tokenRows.chain((rows) =>
      fc.tuple(fc.constant(rows), like(rows, fc.integer({ min: -8, max: 8 }))),
    );
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(cases, share, share, fc.boolean(), ([rows, critic], gamma, lambda, cut) => {
        const expected = rows.map((group, g) =>
          group.map((row, i) => {
            const own = critic[g]?.[i] ?? [];
            const value = (t: number): number => own[t] ?? (cut ? (own.at(-1) ?? 0) : 0);
            const error = (t: number): number => (row[t] ?? 0) + gamma * value(t + 1) - value(t);
            return row.map((_, t) =>
              row.slice(t).reduce((sum, _, k) => sum + (gamma * lambda) ** k * error(t + k), 0),
            );
          }),
        );
        const truncated = rows.map((group) => group.map(() => cut));
        const { advantages } = calculateGaeAdvantages(rows, critic, {
          gamma,
          lambda,
          truncated,
          whiten: false,
        });
        expectRows(advantages, expected, 8);
      }),
    );
  });

  test('without a critic and with λ 1 it is the reward-to-go', () => {
    fc.assert(
      fc.property(tokenRows, (rows) => {
        const zeros = rows.map((group) => group.map((row) => row.map(() => 0)));
        const { advantages } = calculateGaeAdvantages(rows, zeros, { gamma: 0.9, lambda: 1 });
        const plain = calculateReinforcePlusPlusAdvantages(rows, { gamma: 0.9 }).advantages;
        expectRows(
          advantages,
          plain.map((group) => group.map((row) => [...row])),
        );
      }),
    );
  });
});

describe('collected', () => {
  test('tool output is skipped: the next value of a step’s last token is that of the next step’s first', async () => {
    const group = groupOfTrajectories([
      trajectoryOf(1, [
        { tokens: 2, values: [0.1, 0.2] },
        { tokens: 1, observed: 5, values: [0.3] },
      ]),
    ]);
    await withRegistry((registry) =>
      collectRewardsAndAdvantages([group], algorithmOf('gae', { whiten: false }), { registry }),
    );
    expect(stepAdvantages(group)).toEqual([
      [[expect.closeTo(0.82675, 12), expect.closeTo(0.765, 12)], [expect.closeTo(0.7, 12)]],
    ]);
  });

  test('the critic is given returns as they are, whitened advantages or not', async () => {
    const group = groupOfTrajectories([
      trajectoryOf(1, [
        { tokens: 2, values: [0.1, 0.2] },
        { tokens: 1, values: [0.3] },
      ]),
    ]);
    await withRegistry((registry) => collectRewardsAndAdvantages([group], algorithmOf('gae'), { registry }));
    expect(group.trajectories[0]?.steps.map(({ returns }) => returns)).toEqual([
      [expect.closeTo(0.92675, 12), expect.closeTo(0.965, 12)],
      [expect.closeTo(1, 12)],
    ]);
  });

  test.each([
    { bootstrapTruncated: true, reason: 'max_turns_exceeded', expected: 1 },
    { bootstrapTruncated: true, reason: 'max_response_length_exceeded', expected: 1 },
    { bootstrapTruncated: true, reason: 'timeout', expected: 1 },
    { bootstrapTruncated: true, reason: 'env_done', expected: 0.75 },
    { bootstrapTruncated: false, reason: 'max_turns_exceeded', expected: 0.75 },
  ] as const)(
    'bootstrapTruncated $bootstrapTruncated, ended by $reason',
    async ({ bootstrapTruncated, reason, expected }) => {
      const group = groupOfTrajectories([trajectoryOf(1, [{ tokens: 1, values: [0.25] }])], {
        reasons: [reason],
      });
      const options = { bootstrapTruncated, whiten: false };
      expect(flat(await estimate('gae', [group], { options }))).toEqual([expected]);
    },
  );

  test('a step without values is an error that names it', async () => {
    const group = groupOfTrajectories([trajectoryOf(1, [{ tokens: 1 }], 'abc')]);
    const failing = estimate('gae', [group]);
    await expect(failing).rejects.toMatchObject({ code: 'ESTIMATOR_INPUT', details: { stepId: 'abc:0' } });
    await expect(failing).rejects.toThrow('gae needs step.values');
  });
});
