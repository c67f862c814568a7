import fc from 'fast-check';
import { collectRewardsAndAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculateGigpoAdvantages, calculateStepReinforceAdvantages } from '../src/index.js';
import { advantagesOfSteps, appWith, groupOfSteps, lists } from './support.js';

/** R = [1, 0]; states a, b and a, c. */
const returns = [
  [
    [0.5, 1],
    [0, 0],
  ],
];
const anchors = [
  [
    ['a', 'b'],
    ['a', 'c'],
  ],
];

describe('steps in the same state', () => {
  test('are compared with each other; a state seen once gives 0', () => {
    expect(lists(calculateStepReinforceAdvantages(returns, anchors))).toEqual([
      [
        [0.25, 0],
        [-0.25, 0],
      ],
    ]);
  });

  test('divided by the std give ±1, with ε', () => {
    const [group] = calculateStepReinforceAdvantages(returns, anchors, { normByStd: true });
    expect(group?.[0]?.[0]).toBeCloseTo(0.25 / (0.25 + 1e-6), 14);
    expect(group?.[1]?.[0]).toBeCloseTo(-0.25 / (0.25 + 1e-6), 14);
  });

  test('a trajectory that comes back to a state is compared with itself there', () => {
    expect(lists(calculateStepReinforceAdvantages([[[1, 3, 5]]], [[['a', 'b', 'a']]]))).toEqual([
      [[-2, 0, 2]],
    ]);
  });

  test('states of different groups have nothing to do with each other', () => {
    expect(lists(calculateStepReinforceAdvantages([[[1]], [[0]]], [[['a']], [['a']]]))).toEqual([
      [[0]],
      [[0]],
    ]);
  });

  test.each([0.1, 0.7, 1 / 3])('returns that are all %d give exactly 0', (value) => {
    const states = [['a'], ['a'], ['a']];
    for (const normByStd of [false, true]) {
      const [group] = calculateStepReinforceAdvantages([[[value], [value], [value]]], [states], {
        normByStd,
      });
      for (const own of group ?? []) expect(Object.is(own[0], 0)).toBe(true);
    }
  });

  test('another number of anchors than of returns is an error that names the trajectory', () => {
    expect(() => calculateStepReinforceAdvantages([[[1], [1, 2]]], [[['a'], ['a']]])).toThrow(
      'trajectory 1 of group 0 has 2 returns and 1 anchors',
    );
  });
});

describe('gigpo', () => {
  test('adds the comparison of episodes', () => {
    expect(lists(calculateGigpoAdvantages([[1, 0]], returns, anchors))).toEqual([
      [
        [0.75, 0.5],
        [-0.75, -0.5],
      ],
    ]);
  });

  test('by weight 0 it is the centred reward on every step', () => {
    expect(lists(calculateGigpoAdvantages([[1, 0]], returns, anchors, { stepWeight: 0 }))).toEqual([
      [
        [0.5, 0.5],
        [-0.5, -0.5],
      ],
    ]);
  });

  test('counts each trajectory once in the baseline, or each of its steps as verl-agent does', () => {
    const uneven = [[[0, 0, 0], [0]]];
    const states = [[['a', 'b', 'c'], ['d']]];
    const first = (episodeBaseline: 'trajectory' | 'step'): (number | undefined)[] | undefined =>
      calculateGigpoAdvantages([[1, 0]], uneven, states, { episodeBaseline })[0]?.map(([own]) => own);
    expect(first('trajectory')).toEqual([0.5, -0.5]);
    expect(first('step')).toEqual([0.25, -0.75]);
  });

  test.each([1, 3])('by step, one trajectory of %d steps beside one without is its own mean', (count) => {
    const own = new Array<number>(count).fill(0);
    const states = own.map((_none, s) => `s${s}`);
    const options = { episodeBaseline: 'step' } as const;
    expect(lists(calculateGigpoAdvantages([[1, 0]], [[own, []]], [[states, []]], options))).toEqual([
      [own, []],
    ]);
  });

  test.each(['trajectory', 'step'] as const)(
    'a lone trajectory keeps its reward, by "%s"',
    (episodeBaseline) => {
      expect(
        lists(calculateGigpoAdvantages([[0.5]], [[[1, 1]]], [[['a', 'b']]], { episodeBaseline })),
      ).toEqual([[[0.5, 0.5]]]);
    },
  );

  test('one rollout of several steps counts once (three rows against one)', () => {
    const [group] = calculateGigpoAdvantages([[1, 0]], [[[0, 0, 0], [0]]], [[['a', 'b', 'c'], ['d']]]);
    expect(lists([group ?? []])).toEqual([[[0.5, 0.5, 0.5], [-0.5]]]);
  });

  test('is the naive double loop of its definition, whatever the batch', () => {
    fc.assert(
      fc.property(
        batches,
        fc.boolean(),
        fc.double({ min: 0, max: 3, noNaN: true }),
        (batch, normByStd, w) => {
          const got = calculateGigpoAdvantages(batch.rewards, batch.returns, batch.anchors, {
            normByStd,
            stepWeight: w,
          });
          batch.rewards.forEach((rewards, g) => {
            rewards.forEach((reward, i) => {
              const states = batch.anchors[g]?.flat() ?? [];
              const values = batch.returns[g]?.flat() ?? [];
              batch.returns[g]?.[i]?.forEach((value, s) => {
                const state = batch.anchors[g]?.[i]?.[s];
                const same = values.filter((_, k) => states[k] === state);
                const step = same.length > 1 ? naive(value, same, normByStd) : 0;
                const expected = naive(reward, rewards, normByStd) + w * step;
                expect(got[g]?.[i]?.[s]).toBeCloseTo(expected, 8);
              });
            });
          });
        },
      ),
    );
  });

  test('the step term sums to 0 over each state, and does not depend on the order of trajectories', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const got = calculateStepReinforceAdvantages(batch.returns, batch.anchors);
        const turned = calculateStepReinforceAdvantages(
          batch.returns.map((group) => group.toReversed()),
          batch.anchors.map((group) => group.toReversed()),
        );
        got.forEach((group, g) => {
          const sums = new Map<string, number>();
          group.forEach((own, i) => {
            own.forEach((advantage, s) => {
              const state = batch.anchors[g]?.[i]?.[s] ?? '';
              sums.set(state, (sums.get(state) ?? 0) + advantage);
              expect(turned[g]?.at(-1 - i)?.[s]).toBeCloseTo(advantage, 12);
            });
          });
          for (const sum of sums.values()) expect(sum).toBeCloseTo(0, 9);
        });
      }),
    );
  });

  test('a large offset of the returns keeps their differences', () => {
    const [group] = calculateStepReinforceAdvantages([[[1e6 + 1], [1e6]]], [[['a'], ['a']]]);
    expect(group?.map(([own]) => own)).toEqual([0.5, -0.5]);
  });
});

describe('in a collection', () => {
  test('all tokens of a step share its advantage, and steps differ', async () => {
    await using app = await appWith({
      algorithm: { estimator: 'gigpo', estimatorOptions: { gigpo: { gamma: 0.5 } } },
    });
    const group = groupOfSteps(
      [1, 0],
      [
        [
          [{ x: 0, y: 1 }, 0, 3],
          ['won', 1, 1],
        ],
        [
          [{ y: 1, x: 0 }, 0, 2],
          ['lost', 0, 2],
        ],
      ],
    );
    collectRewardsAndAdvantages([group], app.config.algorithm, { registry: app.estimators });
    expect(group.trajectories.map(({ steps }) => steps.map(({ advantage }) => advantage))).toEqual([
      [[0.75, 0.75, 0.75], [0.5]],
      [
        [-0.75, -0.75],
        [-0.5, -0.5],
      ],
    ]);
  });

  test('an outcome set on the trajectory alone reaches the returns of its steps', async () => {
    await using app = await appWith({
      algorithm: { estimator: 'step_reinforce', estimatorOptions: { step_reinforce: { gamma: 1 } } },
    });
    const group = groupOfSteps(
      [1, 0],
      [
        [['a'], ['b']],
        [['a'], ['c']],
      ],
    );
    collectRewardsAndAdvantages([group], app.config.algorithm, { registry: app.estimators });
    expect(advantagesOfSteps([group])).toEqual([
      [
        [0.5, 0],
        [-0.5, 0],
      ],
    ]);
  });

  test('a timestamp makes every state unique; ignored, it does not', async () => {
    const steps = [[[{ at: 1, room: 1 }]], [[{ at: 2, room: 1 }]]] as const;
    for (const { ignoreKeys, expected } of [
      { ignoreKeys: [], expected: [[[0], [0]]] },
      { ignoreKeys: ['at'], expected: [[[0.5], [-0.5]]] },
    ]) {
      await using app = await appWith({
        algorithm: { estimator: 'step_reinforce', estimatorOptions: { step_reinforce: { ignoreKeys } } },
      });
      const group = groupOfSteps([1, 0], steps);
      collectRewardsAndAdvantages([group], app.config.algorithm, { registry: app.estimators });
      expect(advantagesOfSteps([group])).toEqual(expected);
    }
  });

  test('a step without tokens takes part in the comparison and has no advantage', async () => {
    await using app = await appWith({ algorithm: { estimator: 'step_reinforce' } });
    const group = groupOfSteps([1, 0], [[['a', 1, 0]], [['a', 0, 1]]]);
    collectRewardsAndAdvantages([group], app.config.algorithm, { registry: app.estimators });
    expect(group.trajectories.map(({ steps }) => steps[0]?.advantage)).toEqual([[], [-0.5]]);
  });

  test('a step without an observation is an error that names it', async () => {
    await using app = await appWith({ algorithm: { estimator: 'gigpo' } });
    const group = groupOfSteps([1, 0], [[['a'], [undefined]], [['a']]]);
    expect(() =>
      collectRewardsAndAdvantages([group], app.config.algorithm, { registry: app.estimators }),
    ).toThrow(/step 1 .*"task"/);
  });
});

const steps = fc.array(
  fc.record({ value: fc.integer({ min: -3, max: 3 }), state: fc.constantFrom('a', 'b', 'c') }),
  { minLength: 1, maxLength: 4 },
);
const batches = fc
  .array(
    fc.array(fc.record({ reward: fc.integer({ min: -2, max: 2 }), steps }), { minLength: 1, maxLength: 4 }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((groups) => ({
    rewards: groups.map((group) => group.map(({ reward }) => reward)),
    returns: groups.map((group) => group.map((own) => own.steps.map(({ value }) => value))),
    anchors: groups.map((group) => group.map((own) => own.steps.map(({ state }) => state))),
  }));

/** GRPO of one value in its group, as the formula says; a lone value is divided by 1 + ε. */
function naive(value: number, group: readonly number[], byStd: boolean): number {
  const lone = group.length === 1;
  const mean = lone ? 0 : group.reduce((sum, other) => sum + other, 0) / group.length;
  const std = lone ? 1 : Math.sqrt(group.reduce((sum, other) => sum + (other - mean) ** 2, 0) / group.length);
  return byStd ? (value - mean) / (std + 1e-6) : value - mean;
}
