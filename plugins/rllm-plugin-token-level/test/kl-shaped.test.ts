import fc from 'fast-check';
import { calculateGrpoAdvantages, calculateRlooAdvantages, collectRewardsAndAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculateKlShapedAdvantages } from '../src/index.js';
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

describe('by hand', () => {
  const base = [[1, -1]];
  const zeros = [
    [
      [0, 0],
      [0, 0],
    ],
  ];
  const ratios = [
    [
      [0.2, 0.4],
      [0, 0.6],
    ],
  ];

  test.each([
    {
      discount: 0,
      expected: [
        [
          [1.05, 0.95],
          [-0.85, -1.15],
        ],
      ],
    },
    {
      discount: 0.5,
      expected: [
        [
          [1.025, 0.95],
          [-0.925, -1.15],
        ],
      ],
    },
    {
      discount: 1,
      expected: [
        [
          [1, 0.95],
          [-1, -1.15],
        ],
      ],
    },
  ])('coefficient 0.5, discount $discount', ({ discount, expected }) => {
    expectRows(calculateKlShapedAdvantages(base, ratios, zeros, { coefficient: 0.5, discount }), expected);
  });

  test('not centred, the KL is only subtracted, and a masked group changes nothing of it', () => {
    const of = (parameters: object): readonly (readonly Float64Array[])[] =>
      calculateKlShapedAdvantages(base, ratios, zeros, { coefficient: 0.5, center: false, ...parameters });
    expectRows(of({ discount: 0 }), [
      [
        [0.9, 0.8],
        [-1, -1.3],
      ],
    ]);
    expectRows(of({ discount: 1 }), [
      [
        [0.7, 0.8],
        [-1.3, -1.3],
      ],
    ]);
    expect(flat(of({ masked: [true] }))).toEqual([1, 1, -1, -1]);
    expectRows(
      of({ discount: 1, whiten: true }),
      [
        [
          [0.82329064, 0.90773071],
          [-0.86551068, -0.86551068],
        ],
      ],
      8,
    );
    expect(flat(of({ masked: [true], whiten: true }))).toEqual([1, 1, -1, -1]);
  });

  test('a group that takes no part keeps its base, and does not move the mean', () => {
    const advantages = calculateKlShapedAdvantages([[1], [0]], [[[0.5, 1.5]], [[9]]], [[[0, 0]], [[0]]], {
      coefficient: 1,
      masked: [false, true],
    });
    expectRows(advantages, [[[1.5, 0.5]], [[0]]]);
    expect(advantages[1]?.[0]?.[0]).toBe(0);
  });

  test.each([0.1, 0.7, 0])('a log-ratio that is %d everywhere leaves the base exactly', (d) => {
    const rows = [[[d, d, d], [d]], [[d, d, d]]];
    const none = [[[0, 0, 0], [0]], [[0, 0, 0]]];
    const advantages = calculateKlShapedAdvantages([[0.3, 0], [-0.7]], rows, none, { coefficient: 5 });
    expect(flat(advantages)).toEqual([0.3, 0.3, 0.3, 0, -0.7, -0.7, -0.7]);
  });

  test('a batch without tokens gives empty rows', () => {
    expect(calculateKlShapedAdvantages([[1]], [[[]]], [[[]]], { coefficient: 1 })).toEqual([
      [new Float64Array()],
    ]);
  });

  test.each([
    { what: 'reference log-probs of another length', own: [[1]], reference: [[[0]]] },
    { what: 'another number of base advantages', own: [[1, 2]], reference: [[[0, 0]]] },
  ])('$what are an error', ({ own, reference }) => {
    expect(() => calculateKlShapedAdvantages(own, [[[0, 0]]], reference, { coefficient: 1 })).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
    );
  });
});

test('the KL pressure of a batch sums to 0, and vanishes with the coefficient', () => {
  const cases = tokenRows.chain((rows) => fc.tuple(like(rows, logprob), like(rows, logprob)));
  fc.assert(
    fc.property(cases, fc.double({ min: 0, max: 10, noNaN: true }), ([policy, reference], coefficient) => {
      const base = policy.map((group) => group.map((_, i) => i));
      const shaped = flat(calculateKlShapedAdvantages(base, policy, reference, { coefficient }));
      const plain = flat(calculateKlShapedAdvantages(base, policy, reference, { coefficient: 0 }));
      const pressure = shaped.reduce((sum, value, t) => sum + value - (plain[t] ?? 0), 0);
      expect(pressure).toBeCloseTo(0, 9);
      expect(plain).toEqual(policy.flatMap((group) => group.flatMap((row, i) => row.map(() => i))));
    }),
  );
});

describe('collected', () => {
  const step = (logprobs: number[], referenceLogprobs: number[]) => ({
    tokens: logprobs.length,
    logprobs,
    referenceLogprobs,
  });
  const groups = () => [
    groupOfTrajectories([
      trajectoryOf(1, [step([-1], [-1.5]), step([-1, -1], [-1, -2])]),
      trajectoryOf(0, [step([-2], [-1])]),
    ]),
    groupOfTrajectories([trajectoryOf(1, [step([-1], [-4])]), trajectoryOf(1, [step([-1], [-1])])], {
      taskId: 'solved',
    }),
  ];

  test.each([
    { base: 'reinforce', advantages: [1, 0, 1, 1] },
    { base: 'rloo', advantages: [...calculateRlooAdvantages([[1, 0]]).advantages[0]!, 0, 0] },
    { base: 'grpo', advantages: [...calculateGrpoAdvantages([[1, 0]]).advantages[0]!, 0, 0] },
  ])(
    'on top of $base, uniform groups included',
    async ({ base, advantages: [a = 0, b = 0, c = 0, d = 0] }) => {
      // d is 0.5, 0, 1, then −1, then 3 and 0: mean 3.5 / 6.
      const mean = 3.5 / 6;
      const given = groups();
      await withRegistry((registry) =>
        collectRewardsAndAdvantages(given, algorithmOf('kl_shaped', { base, coefficient: 1 }), { registry }),
      );
      const near = (value: number): unknown => expect.closeTo(value, 12);
      expect(given.map(stepAdvantages)).toEqual([
        [[[near(a + mean - 0.5)], [near(a + mean), near(a + mean - 1)]], [[near(b + mean + 1)]]],
        [[[near(c + mean - 3)]], [[near(d + mean)]]],
      ]);
    },
  );

  test('maskUniform: a solved task gets exactly 0, whatever its base, and does not count in the mean', async () => {
    const options = { base: 'reinforce', coefficient: 1, maskUniform: true };
    const [first, second] = await estimate('kl_shaped', groups(), { options });
    const mean = 0.5 / 4;
    expectRows([first ?? []], [[[1 + mean - 0.5, 1 + mean, 1 + mean - 1], [mean + 1]]]);
    expect(flat([second ?? []])).toEqual([0, 0]);
  });

  test('grpo without std is as the algorithm says', async () => {
    const overrides = { normAdvByStdInGrpo: false };
    const advantages = await estimate('kl_shaped', groups(), { options: { coefficient: 0 }, overrides });
    expect(flat(advantages)).toEqual([0.5, 0.5, 0.5, -0.5, 0, 0]);
  });
});
