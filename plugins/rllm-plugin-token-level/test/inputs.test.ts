import { describe, expect, test } from 'vitest';
import {
  calculateDistillationAdvantages,
  calculateGaeAdvantages,
  calculateKlShapedAdvantages,
  calculateOptimalTokenBaselineAdvantages,
  calculateReinforcePlusPlusAdvantages,
  calculateReinforcePlusPlusBaselineTokenAdvantages,
  calculateRemaxAdvantages,
  subtractDivergence,
} from '../src/index.js';
import { estimate, flat, groupOfTrajectories, trajectoryOf } from './support.js';

const names = [
  'reinforce_plus_plus',
  'reinforce_plus_plus_kl',
  'reinforce_plus_plus_baseline_tokens',
  'gae',
  'gae_kl',
  'remax',
  'optimal_token_baseline',
  'kl_shaped',
  'distillation',
];

/** A step that has all that any estimator needs. */
const full = (...logprobs: number[]) => ({
  tokens: logprobs.length,
  logprobs,
  values: logprobs.map((value) => value / 2),
  referenceLogprobs: logprobs.map((value) => value - 1),
  teacherLogprobs: logprobs.map((value) => value + 0.5),
});

describe.each(names)('%s', (name) => {
  test('of no groups is no advantages', async () => {
    expect(await estimate(name, [])).toEqual([]);
  });

  test('gives a trajectory without tokens an empty row, and others theirs', async () => {
    const group = {
      ...groupOfTrajectories([
        trajectoryOf(1, []),
        trajectoryOf(0, [{ tokens: 0 }]),
        trajectoryOf(0, [full(-1, -2), { tokens: 0 }, full(-1)]),
        trajectoryOf(1, [full(-1)]),
      ]),
      baselines: [trajectoryOf(1, [{ tokens: 1 }])],
    };
    const [rows = []] = await estimate(name, [group]);
    expect(rows.map(({ length }) => length)).toEqual([0, 0, 3, 1]);
    for (const value of flat([rows])) expect(Number.isFinite(value)).toBe(true);
  });

  test('twice the same is twice the same, −0 never among it', async () => {
    const groups = () => [
      {
        ...groupOfTrajectories([trajectoryOf(-0, [full(-1, -2)]), trajectoryOf(-1, [full(-3)])]),
        baselines: [trajectoryOf(-0, [{ tokens: 1 }])],
      },
    ];
    const first = flat(await estimate(name, groups()));
    expect(flat(await estimate(name, groups()))).toEqual(first);
    expect(first.filter((value) => Object.is(value, -0))).toEqual([]);
  });
});

describe('inputs that are frozen', () => {
  const rewards = frozen([[[0, 1], [0.5]]]);
  const logprobs = frozen([[[-1, -2], [-3]]]);
  const reference = frozen([[[-2, -2], [-1]]]);
  const scalars = frozen([[1, 0]]);

  test.each([
    {
      what: 'reinforce_plus_plus',
      calculate: () => calculateReinforcePlusPlusAdvantages(rewards).advantages,
    },
    {
      what: 'reinforce_plus_plus_baseline_tokens',
      calculate: () =>
        calculateReinforcePlusPlusBaselineTokenAdvantages(scalars, frozen([[2, 1]])).advantages,
    },
    { what: 'gae', calculate: () => calculateGaeAdvantages(rewards, logprobs).advantages },
    { what: 'remax', calculate: () => calculateRemaxAdvantages(rewards, frozen([0.5])).advantages },
    {
      what: 'optimal_token_baseline',
      calculate: () => calculateOptimalTokenBaselineAdvantages(rewards, logprobs).advantages,
    },
    {
      what: 'kl_shaped',
      calculate: () =>
        calculateKlShapedAdvantages(scalars, logprobs, reference, { coefficient: 1, discount: 0.5 }),
    },
    {
      what: 'distillation',
      calculate: () => calculateDistillationAdvantages(logprobs, reference, { discount: 0.5 }),
    },
    { what: 'KL', calculate: () => subtractDivergence(rewards, logprobs, reference, { coefficient: 1 }) },
  ])('are enough for $what', ({ calculate }) => {
    expect(calculate().map((group) => group.map(({ length }) => length))).toEqual([[2, 1]]);
  });
});

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
