import fc from 'fast-check';
import { collectRewardsAndAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculateBiLevelGaeAdvantages, calculateGaeAdvantages } from '../src/index.js';
import { like, tokenRows } from './arbitraries.js';
import {
  algorithmOf,
  expectRows,
  flat,
  groupOfTrajectories,
  stepAdvantages,
  trajectoryOf,
  withRegistry,
} from './support.js';

const rewards = [[[0.5, 0, 1]]];
const values = [[[0.1, 0.2, 0.3]]];
const raw = { whiten: false };

describe('by hand', () => {
  test.each([
    {
      what: 'turns of 1 and 2 tokens',
      turns: [1, 2],
      parameters: { turnGamma: 1 },
      expected: [1.365, 0.765, 0.7],
    },
    {
      what: 'a discount between turns',
      turns: [1, 2],
      parameters: { turnGamma: 0.5 },
      expected: [0.8825, 0.765, 0.7],
    },
    {
      what: 'a discount between tokens only',
      turns: [1, 2],
      parameters: { turnGamma: 1, gamma: 0.5 },
      expected: [1.365, -0.05 + 0.5 * 0.95 * 0.7, 0.7],
    },
    {
      what: 'turns of 2 and 1 tokens: the reward within a turn is paid at its end',
      turns: [2, 1],
      parameters: { turnGamma: 1 },
      // Turn 1: 0.7. Turn 0: 0.5 + 0.3 − 0.2 + 0.95 · 0.7 = 1.265, and 0.2 − 0.1 + 0.95 · 1.265 before its end.
      expected: [1.30175, 1.265, 0.7],
    },
    {
      what: 'a turn without tokens is none',
      turns: [1, 0, 2, 0],
      parameters: { turnGamma: 0.5 },
      expected: [0.8825, 0.765, 0.7],
    },
  ])('$what', ({ turns, parameters, expected }) => {
    const { advantages, returns } = calculateBiLevelGaeAdvantages(rewards, values, [[turns]], {
      ...parameters,
      ...raw,
    });
    expectRows(advantages, [[expected]]);
    expectRows(returns, [[expected.map((advantage, t) => advantage + (values[0]?.[0]?.[t] ?? 0))]]);
  });

  test('a turn whose reward is 0 is a turn, as it is not in RAGEN', () => {
    const { advantages } = calculateBiLevelGaeAdvantages([[[0, 1]]], [[[0.1, 0.2]]], [[[1, 1]]], {
      turnGamma: 0.5,
      ...raw,
    });
    expectRows(advantages, [[[0.38, 0.8]]]);
  });

  test.each([
    { what: 'too few turns', turns: [[[2]]] },
    { what: 'too many tokens', turns: [[[2, 2]]] },
    { what: 'no trajectory', turns: [[]] },
    { what: 'no group', turns: [] },
  ])('$what is an error', ({ turns }) => {
    expect(() => calculateBiLevelGaeAdvantages(rewards, values, turns)).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
    );
  });
});

const share = fc.double({ min: 0, max: 1, noNaN: true });
const cases = tokenRows.chain((rows) =>
  fc.tuple(fc.constant(rows), like(rows, fc.integer({ min: -8, max: 8 })), fc.integer({ min: 1, max: 6 })),
);

test('one turn is GAE, whitened or not', () => {
  fc.assert(
    fc.property(cases, share, share, fc.boolean(), ([rows, critic], gamma, lambda, whiten) => {
      // The reward of a turn counts at its end, so that is where it must be.
      const atEnd = rows.map((group) =>
        group.map((row) => row.map((r, t) => (t === row.length - 1 ? r : 0))),
      );
      const turns = rows.map((group) => group.map(({ length }) => [length]));
      const parameters = { gamma, lambda, whiten };
      const got = calculateBiLevelGaeAdvantages(atEnd, critic, turns, parameters);
      const expected = calculateGaeAdvantages(atEnd, critic, parameters);
      expect(flat(got.advantages)).toEqual(flat(expected.advantages));
      expect(flat(got.returns)).toEqual(flat(expected.returns));
    }),
  );
});

test('it is GAE over the turns, then GAE over each turn with its return as the only reward', () => {
  fc.assert(
    fc.property(cases, share, share, share, ([rows, critic, cut], turnGamma, gamma, lambda) => {
      const turns = rows.map((group) =>
        group.map(({ length }) => [Math.min(cut, length), length - Math.min(cut, length)]),
      );
      const got = calculateBiLevelGaeAdvantages(rows, critic, turns, { turnGamma, gamma, lambda, ...raw });
      rows.forEach((group, g) => {
        group.forEach((row, i) => {
          const own = critic[g]?.[i] ?? [];
          const spans = [
            [0, Math.min(cut, row.length)],
            [Math.min(cut, row.length), row.length],
          ].filter(([from = 0, to = 0]) => from < to) as [number, number][];
          const paid = spans.map(([from, to]) => row.slice(from, to).reduce((sum, r) => sum + r, 0));
          const between = naiveGae(
            paid,
            spans.map(([, to]) => own[to - 1] ?? 0),
            turnGamma,
            lambda,
          );
          const within = spans.flatMap(([from, to], k) => {
            const v = own.slice(from, to);
            const earned = v.map((_, t) => (t === v.length - 1 ? (between[k] ?? 0) + (v[t] ?? 0) : 0));
            return naiveGae(earned, v, gamma, lambda);
          });
          within.forEach((value, t) => {
            expect(got.advantages[g]?.[i]?.[t]).toBeCloseTo(value, 8);
          });
        });
      });
    }),
  );
});

/** Aₜ = Σ (γλ)^k δₜ₊ₖ. */
function naiveGae(r: readonly number[], v: readonly number[], gamma: number, lambda: number): number[] {
  const error = (t: number): number => (r[t] ?? 0) + gamma * (v[t + 1] ?? 0) - (v[t] ?? 0);
  return r.map((_, t) => r.slice(t).reduce((sum, _, k) => sum + (gamma * lambda) ** k * error(t + k), 0));
}

test('collected, each step is a turn, and what was read between steps has no part', async () => {
  const group = groupOfTrajectories([
    trajectoryOf(1.5, [
      { tokens: 1, reward: 0.5, values: [0.1] },
      { tokens: 2, observed: 5, reward: 1, values: [0.2, 0.3] },
    ]),
  ]);
  const options = { turnGamma: 0.5, rewards: 'step', whiten: false };
  await withRegistry((registry) =>
    collectRewardsAndAdvantages([group], algorithmOf('bi_level_gae', options), { registry }),
  );
  const [[first, second] = []] = stepAdvantages(group) as number[][][];
  expect(first?.[0]).toBeCloseTo(0.8825, 12);
  expect(second?.[0]).toBeCloseTo(0.765, 12);
  expect(second?.[1]).toBeCloseTo(0.7, 12);
  expect(group.trajectories[0]?.steps[1]?.returns?.[1]).toBeCloseTo(1, 12);
});
