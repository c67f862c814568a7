import fc from 'fast-check';
import { collectRewardsAndAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import {
  calculateReinforcePlusPlusAdvantages,
  type DiscountUnit,
  type StepSpan,
  subtractDivergence,
} from '../src/index.js';
import { tokenRows } from './arbitraries.js';
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

const returnsOf = (
  row: readonly number[],
  options: { gamma?: number; spans?: readonly StepSpan[]; discount?: DiscountUnit } = {},
): number[] => {
  const { spans, ...rest } = options;
  const { advantages } = calculateReinforcePlusPlusAdvantages([[row]], {
    ...rest,
    whiten: false,
    ...(spans === undefined ? {} : { spans: [[spans]] }),
  });
  return flat(advantages);
};

describe('reward-to-go, by hand', () => {
  const toolBetween = [
    { tokens: 2, observed: 0 },
    { tokens: 2, observed: 2 },
  ];

  test('a reward at the end reaches the tokens before a tool call: mask [1,1,0,0,1,1] gives 1 everywhere', () => {
    expect(returnsOf([0, 0, 0, 1], { spans: toolBetween })).toEqual([1, 1, 1, 1]);
  });

  test.each([
    { discount: 'tokens', expected: [0.5, 1] },
    { discount: 'all_tokens', expected: [0.25, 1] },
    { discount: 'steps', expected: [0.5, 1] },
  ] as const)('mask [1,0,1], γ 0.5, counting $discount: $expected', ({ discount, expected }) => {
    const spans = [
      { tokens: 1, observed: 0 },
      { tokens: 1, observed: 1 },
    ];
    expect(returnsOf([0, 1], { gamma: 0.5, spans, discount })).toEqual(expected);
  });

  test.each([
    { discount: 'tokens', expected: [0.125, 0.25, 0.5, 1] },
    { discount: 'all_tokens', expected: [0.03125, 0.0625, 0.5, 1] },
    { discount: 'steps', expected: [0.5, 0.5, 1, 1] },
  ] as const)('two tokens, two read, two tokens, γ 0.5, counting $discount', ({ discount, expected }) => {
    expect(returnsOf([0, 0, 0, 1], { gamma: 0.5, spans: toolBetween, discount })).toEqual(expected);
  });

  test.each([
    { discount: 'tokens', expected: [0.5, 1] },
    { discount: 'all_tokens', expected: [0.0625, 1] },
    { discount: 'steps', expected: [0.25, 1] },
  ] as const)(
    'a step without tokens is no token, but a step, counting $discount',
    ({ discount, expected }) => {
      const spans = [
        { tokens: 1, observed: 0 },
        { tokens: 0, observed: 1 },
        { tokens: 1, observed: 2 },
      ];
      expect(returnsOf([0, 1], { gamma: 0.5, spans, discount })).toEqual(expected);
    },
  );

  test('rewards on the way add up', () => {
    expect(returnsOf([1, 0, 2], { gamma: 0.5 })).toEqual([1.5, 1, 2]);
  });

  test('spans that do not fit their row are an error', () => {
    expect(() => returnsOf([0, 1], { spans: [{ tokens: 1, observed: 0 }] })).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
    );
  });
});

describe('the KL of each token', () => {
  const twoTokens = (gamma: number, discount: DiscountUnit): number[] => {
    const rewards = subtractDivergence([[[0, 0]]], [[[0, 0]]], [[[-1, -1]]], { coefficient: 1 });
    const spans = [
      [
        [
          { tokens: 1, observed: 0 },
          { tokens: 1, observed: 2 },
        ],
      ],
    ];
    return flat(
      calculateReinforcePlusPlusAdvantages(rewards, { gamma, discount, spans, whiten: false }).returns,
    );
  };

  test('of what was read does not leak: mask [1,0,0,1], γ 0.9 over all tokens gives −1.729 and never −3.439', () => {
    expect(twoTokens(0.9, 'all_tokens')[0]).toBeCloseTo(-1.729, 12);
  });

  test('is −1.9 where γ counts sampled tokens', () => {
    expect(twoTokens(0.9, 'tokens')).toEqual([-1.9, -1]);
  });

  test.each([
    { klEstimator: 'k1', expected: -0.5 },
    { klEstimator: 'k2', expected: -0.125 },
    { klEstimator: 'k3', expected: -(Math.exp(-0.5) - 0.5) },
    { klEstimator: 'abs', expected: -0.5 },
  ] as const)('$klEstimator of 0.5 is taken off', ({ klEstimator, expected }) => {
    const [value] = flat(subtractDivergence([[[0]]], [[[-1]]], [[[-1.5]]], { coefficient: 1, klEstimator }));
    expect(value).toBeCloseTo(expected, 14);
  });

  test('k3 of one improbable token stays finite', () => {
    expect(
      flat(subtractDivergence([[[0]]], [[[-900]]], [[[-1]]], { coefficient: 1, klEstimator: 'k3' })),
    ).toEqual([-10]);
  });
});

describe('whitening', () => {
  test('rewards 1 and 0 with two tokens each give ±√(3)/2', () => {
    const { advantages } = calculateReinforcePlusPlusAdvantages([[[0, 1]], [[0, 0]]]);
    const a = 0.5 / Math.sqrt(1 / 3 + 1e-8);
    expectRows(advantages, [[[a, a]], [[-a, -a]]], 14);
    expect(a).toBeCloseTo(0.866025, 6);
  });

  test.each([
    { what: 'one token', rows: [[[3]]] },
    { what: 'equal returns', rows: [[[0, 0.1]], [[0.1]], [[0, 0, 0.1]]] },
    { what: 'no tokens', rows: [[[], []]] },
  ])('$what gives exactly 0', ({ rows }) => {
    const { advantages } = calculateReinforcePlusPlusAdvantages(rows);
    for (const value of flat(advantages)) expect(value).toBe(0);
  });

  test('keeps the digits of rewards of a million that differ by one', () => {
    const near = flat(calculateReinforcePlusPlusAdvantages([[[1], [0], [0]]]).advantages);
    const far = flat(calculateReinforcePlusPlusAdvantages([[[1e6 + 1], [1e6], [1e6]]]).advantages);
    far.forEach((value, t) => {
      expect(value).toBeCloseTo(near[t] ?? Number.NaN, 9);
    });
  });

  test('leaves returns as they are', () => {
    expect(
      flat(
        calculateReinforcePlusPlusAdvantages([
          [
            [0, 1],
            [0, 5],
          ],
        ]).returns,
      ),
    ).toEqual([1, 1, 5, 5]);
  });
});

describe('against the definition', () => {
  const naive = (row: readonly number[], gamma: number): number[] =>
    row.map((_, t) => row.slice(t).reduce((sum, reward, k) => sum + gamma ** k * reward, 0));

  test('G is the discounted sum of what is to come', () => {
    fc.assert(
      fc.property(tokenRows, fc.double({ min: 0, max: 1, noNaN: true }), (rows, gamma) => {
        const { returns } = calculateReinforcePlusPlusAdvantages(rows, { gamma });
        expectRows(
          returns,
          rows.map((group) => group.map((row) => naive(row, gamma))),
          8,
        );
      }),
    );
  });

  test('whitened advantages have mean 0 and variance 1 over the tokens of the batch', () => {
    fc.assert(
      fc.property(tokenRows, (rows) => {
        const values = flat(calculateReinforcePlusPlusAdvantages(rows).advantages);
        const sum = values.reduce((a, b) => a + b, 0);
        expect(Math.abs(sum)).toBeLessThan(1e-8 * (values.length + 1));
        if (values.some((value) => value !== 0)) {
          expect(values.reduce((a, b) => a + b * b, 0) / (values.length - 1)).toBeCloseTo(1, 4);
        }
      }),
    );
  });

  test('adding a constant to every last token, and scaling, change nothing but rounding', () => {
    fc.assert(
      fc.property(tokenRows, fc.integer({ min: -50, max: 50 }), (rows, shift) => {
        const shifted = rows.map((group) =>
          group.map((row) => row.map((value, t) => (t === row.length - 1 ? value + shift : value))),
        );
        expectRows(
          calculateReinforcePlusPlusAdvantages(shifted).advantages,
          calculateReinforcePlusPlusAdvantages(rows).advantages.map((group) => group.map((row) => [...row])),
          6,
        );
      }),
    );
  });

  test('swapping groups and trajectories swaps the advantages', () => {
    fc.assert(
      fc.property(tokenRows, (rows) => {
        const turned = rows.map((group) => [...group].reverse()).reverse();
        const expected = calculateReinforcePlusPlusAdvantages(rows, { gamma: 0.9 }).advantages;
        expectRows(
          calculateReinforcePlusPlusAdvantages(turned, { gamma: 0.9 }).advantages,
          expected.map((group) => group.map((row) => [...row]).reverse()).reverse(),
          9,
        );
      }),
    );
  });
});

describe('collected', () => {
  const plain = { whiten: false };

  test('each step gets the list of its own tokens, and credit passes the tool output', async () => {
    const group = groupOfTrajectories([
      trajectoryOf(1, [{ tokens: 2 }, { tokens: 1, observed: 4 }]),
      trajectoryOf(0, [{ tokens: 1 }]),
    ]);
    await withRegistry((registry) =>
      collectRewardsAndAdvantages([group], algorithmOf('reinforce_plus_plus', plain), { registry }),
    );
    expect(stepAdvantages(group)).toEqual([[[1, 1], [1]], [[0]]]);
  });

  test('γ can count what was read: it is what a prompt has beyond the step before', async () => {
    const group = groupOfTrajectories([trajectoryOf(1, [{ tokens: 1 }, { tokens: 1, observed: 1 }])]);
    const algorithm = algorithmOf('reinforce_plus_plus', { ...plain, gamma: 0.5, discount: 'all_tokens' });
    await withRegistry((registry) => collectRewardsAndAdvantages([group], algorithm, { registry }));
    expect(stepAdvantages(group)).toEqual([[[0.25], [1]]]);
  });

  test('a prompt shorter than what came before counts as nothing read', async () => {
    const trajectory = trajectoryOf(1, [{ tokens: 4 }, { tokens: 1 }]);
    const [first, second] = trajectory.steps;
    if (first === undefined || second === undefined) throw new Error('two steps were made');
    trajectory.steps = [first, { ...second, promptIds: [1] }];
    const group = groupOfTrajectories([trajectory]);
    const algorithm = algorithmOf('reinforce_plus_plus', { ...plain, gamma: 0.5, discount: 'all_tokens' });
    await withRegistry((registry) => collectRewardsAndAdvantages([group], algorithm, { registry }));
    expect(stepAdvantages(group)).toEqual([[[0.0625, 0.125, 0.25, 0.5], [1]]]);
  });

  test('rewards of steps fall on the last token of each', async () => {
    const group = groupOfTrajectories([
      trajectoryOf(7, [
        { tokens: 2, reward: 1 },
        { tokens: 2, reward: 2 },
      ]),
    ]);
    const algorithm = algorithmOf('reinforce_plus_plus', { ...plain, rewards: 'step' });
    await withRegistry((registry) => collectRewardsAndAdvantages([group], algorithm, { registry }));
    expect(stepAdvantages(group)).toEqual([
      [
        [3, 3],
        [2, 2],
      ],
    ]);
  });

  test('the reward of a step without tokens falls on the token before it', async () => {
    const steps = [
      { tokens: 0, reward: 9 },
      { tokens: 1, reward: 1 },
      { tokens: 0, reward: 2 },
    ];
    const group = groupOfTrajectories([trajectoryOf(0, steps), trajectoryOf(5, [{ tokens: 0, reward: 4 }])]);
    const algorithm = algorithmOf('reinforce_plus_plus', { ...plain, rewards: 'step' });
    await withRegistry((registry) => collectRewardsAndAdvantages([group], algorithm, { registry }));
    expect(stepAdvantages(group)).toEqual([[[], [3], []], [[]]]);
  });

  test('a reward of a step that is not finite is an error that names it, where steps have rewards of their own', async () => {
    const group = groupOfTrajectories([
      trajectoryOf(1, [{ tokens: 1 }, { tokens: 1, reward: Number.NaN }], 'abc'),
    ]);
    const failing = estimate('reinforce_plus_plus', [group], { options: { rewards: 'step' } });
    await expect(failing).rejects.toMatchObject({ code: 'REWARD_NOT_FINITE', details: { stepId: 'abc:1' } });
    await expect(failing).rejects.toThrow('step 1 ("abc:1") of rollout 0 of task "t"');
    expect(flat(await estimate('reinforce_plus_plus', [group], { options: plain }))).toEqual([1, 1]);
  });

  test('with KL: mask [1,0,0,1] gives −1.729 over steps', async () => {
    const step = { tokens: 1, logprobs: [0], referenceLogprobs: [-1] };
    const group = groupOfTrajectories([trajectoryOf(0, [step, { ...step, observed: 2 }])]);
    const algorithm = algorithmOf('reinforce_plus_plus_kl', {
      ...plain,
      coefficient: 1,
      gamma: 0.9,
      discount: 'all_tokens',
    });
    await withRegistry((registry) => collectRewardsAndAdvantages([group], algorithm, { registry }));
    const [[first, second] = []] = stepAdvantages(group);
    expect(first).toEqual([expect.closeTo(-1.729, 12)]);
    expect(second).toEqual([-1]);
  });

  test('what a policy made of the reward falls on the last token, where steps have rewards of their own', async () => {
    const group = groupOfTrajectories([
      trajectoryOf(3, [
        { tokens: 1, reward: 1 },
        { tokens: 1, reward: 2 },
      ]),
    ]);
    const overrides = { rewardClip: { min: null, max: 2.5 } };
    const algorithm = algorithmOf('reinforce_plus_plus', { ...plain, rewards: 'step' }, overrides);
    await withRegistry((registry) => collectRewardsAndAdvantages([group], algorithm, { registry }));
    expect(stepAdvantages(group)).toEqual([[[2.5], [1.5]]]);
  });

  test.each([
    { what: 'no reference log-probs', step: { tokens: 1, logprobs: [0] }, message: '1 tokens and 0 entries' },
    {
      what: 'too few of them',
      step: { tokens: 2, logprobs: [0, 0], referenceLogprobs: [0] },
      message: '2 tokens and 1 entries',
    },
    {
      what: 'one that is not finite',
      step: { tokens: 1, logprobs: [0], referenceLogprobs: [Number.NEGATIVE_INFINITY] },
      message: '-Infinity at token 0',
    },
    { what: 'no log-probs', step: { tokens: 1, referenceLogprobs: [0] }, message: 'needs step.logprobs' },
  ])('a step with $what is an error that names it', async ({ step, message }) => {
    const group = groupOfTrajectories([trajectoryOf(0, [step], 'abc')]);
    const failing = estimate('reinforce_plus_plus_kl', [group]);
    await expect(failing).rejects.toMatchObject({ code: 'ESTIMATOR_INPUT', details: { stepId: 'abc:0' } });
    await expect(failing).rejects.toThrow(message);
    await expect(failing).rejects.toThrow('step 0 ("abc:0") of rollout 0 of task "t", role "solver"');
  });
});
