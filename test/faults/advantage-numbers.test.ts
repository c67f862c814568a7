import { describe, expect, test } from 'vitest';
import {
  AdvEstimator,
  calculateGrpoAdvantages,
  collectRewardsAndAdvantages,
  type EstimateFunction,
  EstimatorRegistry,
} from '../../src/advantage/index.js';
import { estimatorText } from '../../src/cli/render/estimator-text.js';
import type { AlgorithmConfig } from '../../src/config/types.js';
import { declarationsOf } from '../../src/declarations.js';
import { applyRejectionSampling } from '../../src/filtering/index.js';
import type { TrajectoryGroup } from '../../src/types/index.js';
import { advantagesOf, algorithm, builtInRegistry, group } from '../advantage/support.js';

// Faults of other systems, by their numbers in the list that this project keeps: part A, advantage numbers.

const NAMES = builtInRegistry().names();

function advantages(
  groups: readonly TrajectoryGroup[],
  overrides: Partial<AlgorithmConfig> = {},
): (number | null)[][] {
  collectRewardsAndAdvantages(groups, algorithm(overrides), { registry: builtInRegistry() });
  return groups.map((own) => advantagesOf(own) as (number | null)[]);
}

const centred: Partial<AlgorithmConfig> = { normAdvByStdInGrpo: false };
const numbered = (rows: readonly (readonly number[])[]): TrajectoryGroup[] =>
  rows.map((rewards, g) => group(rewards, { taskId: `t${g}` }));

test('A 2: what a tool said has no log-prob, and so no part in the KL of the reward', () => {
  const own = group([0], { tokens: [1, 1] });
  for (const step of own.trajectories[0]?.steps ?? []) {
    // Two tool tokens stand between the two steps, in the prompt of the second.
    Object.assign(step, { promptIds: [8, 8], logprobs: [-1], referenceLogprobs: [-2] });
  }
  const kl = { klInReward: { coefficient: 1, estimator: 'k1' } } as const;
  expect(advantages([own], { estimator: 'reinforce', ...kl })).toEqual([[-2]]);
});

test('A 3: a rejected rollout shifts no baseline', () => {
  const [first, second] = group([Number.NaN, 1]).trajectories;
  const own = { ...group([100, 1]), trajectories: [first, second] } as TrajectoryGroup;
  for (const loneTrajectory of ['zero', 'reward'] as const) {
    expect(advantages([own], { ...centred, missingReward: 'exclude', loneTrajectory })).toEqual([
      [null, loneTrajectory === 'zero' ? 0 : 1],
    ]);
  }
});

describe('A 5: groups of unequal size stay apart', () => {
  test('when their rewards differ', () => {
    expect(
      advantages(
        numbered([
          [1, 2, 3, 4],
          [10, 12],
          [5, 6, 7],
        ]),
        centred,
      ),
    ).toEqual([
      [-1.5, -0.5, 0.5, 1.5],
      [-1, 1],
      [-1, 0, 1],
    ]);
  });

  test('when one is uniform', () => {
    expect(
      advantages(
        numbered([
          [1, 2, 3, 4],
          [5, 5, 5],
          [1, 0, 0, 1],
        ]),
        centred,
      )[1],
    ).toEqual([0, 0, 0]);
  });
});

test('A 6: a rollout of three steps counts once', () => {
  const long = group([1, 0], { tokens: [2] });
  long.trajectories[0]?.steps.push(...(group([0], { tokens: [2, 2] }).trajectories[0]?.steps ?? []));
  advantages([long], centred);
  expect(long.trajectories.map(({ steps }) => steps.map(({ advantage }) => advantage))).toEqual([
    [0.5, 0.5, 0.5],
    [-0.5],
  ]);
});

test('A 8: leaving one out divides by no std', () => {
  expect(
    advantages(numbered([[1, 0, 0, 0]]), { estimator: 'rloo' })[0]?.map((a) => Number(a?.toFixed(9))),
  ).toEqual([1, -0.333333333, -0.333333333, -0.333333333]);
});

test('A 9: the std is taken in two passes', () => {
  const rewards = [0, ...new Array<number>(7).fill(0.95)];
  const [first = 0, ...rest] = advantages(numbered([rewards]))[0] ?? [];
  expect(first).toBeCloseTo(-2.6457, 3);
  for (const other of rest) expect(other).toBeCloseTo(0.378, 3);
});

describe('A 11: a rollout without a reward', () => {
  const exclude: Partial<AlgorithmConfig> = { missingReward: 'exclude' };

  test('is not in its group, and not in the mean', () => {
    const own = group([1, undefined, 0]);
    const { metrics } = collectRewardsAndAdvantages([own], algorithm(exclude), {
      registry: builtInRegistry(),
    });
    const one = 0.5 / (0.5 + 1e-6);
    expect(advantagesOf(own)).toEqual([one, null, -one]);
    expect(metrics['reward/solver/mean']).toBe(0.5);
  });

  test('may leave another alone, or its group empty', () => {
    expect(advantages([group([1, undefined, undefined])], { ...exclude, loneTrajectory: 'zero' })).toEqual([
      [0, null, null],
    ]);
    const { groups, dropped } = collectRewardsAndAdvantages(
      [group([undefined, undefined])],
      algorithm(exclude),
      {
        registry: builtInRegistry(),
      },
    );
    expect(groups).toEqual([]);
    expect(dropped.map(({ reason }) => reason)).toEqual(['unscored', 'unscored']);
  });
});

describe.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  'A 12: a reward of %d',
  (reward) => {
    test.each(NAMES)('under %s is an error that names it, or touches nobody else', (estimator) => {
      expect(() =>
        advantages(
          numbered([
            [1, reward],
            [1, 0],
          ]),
          { estimator },
        ),
      ).toThrow(
        expect.objectContaining({
          code: 'REWARD_NOT_FINITE',
          message: expect.stringContaining('rollout 1 of task "t0"'),
        }),
      );
      const [spoilt, sound] = advantages(
        numbered([
          [1, reward],
          [1, 0],
        ]),
        { estimator, missingReward: 'exclude' },
      );
      expect(spoilt?.[1]).toBe(null);
      expect(Number.isFinite(spoilt?.[0]) && sound?.every(Number.isFinite)).toBe(true);
      expect((sound?.[0] ?? 0) > (sound?.[1] ?? 0)).toBe(true);
    });
  },
);

test.each([[[0.1, 0.1, 0.1]], [new Array<number>(7).fill(0.7)], [new Array<number>(7).fill(1 / 3)]])(
  'A 14: equal rewards %j give exactly 0, and their group is filtered',
  (rewards) => {
    for (const estimator of NAMES.filter((name) => name !== 'reinforce')) {
      expect(advantages(numbered([rewards]), { estimator })).toEqual([rewards.map(() => 0)]);
    }
    const kept = applyRejectionSampling([], numbered([rewards]), {
      mode: 'group',
      minPartialSolveTasks: 1,
      minTrajsPerGroup: 2,
    });
    expect(kept.groups).toEqual([]);
    expect(kept.metrics['batch/groups_dropped_uniform']).toBe(1);
  },
);

test('A 15: KL in the reward goes on in a group that all solved alike, as part of its rewards', () => {
  const own = group([1, 1], { tokens: [1] });
  own.trajectories.forEach(({ steps }, i) => {
    Object.assign(steps[0] ?? {}, { logprobs: [-1], referenceLogprobs: [-1 - i] });
  });
  const kl = { klInReward: { coefficient: 0.5, estimator: 'k1' } } as const;
  expect(advantages([own], { ...centred, ...kl })).toEqual([[0.25, -0.25]]);
});

test('A 17: a run says what its estimator does', () => {
  const grpo = builtInRegistry().describe('grpo');
  expect(estimatorText(grpo, algorithm())).toBe('grpo: center=group, scale=std(ddof=0), eps=1e-6');
  expect(estimatorText(grpo, algorithm(centred))).toBe('grpo: center=group, scale=none');
});

test('A 18: without std GRPO only centres, by whatever way it is chosen', () => {
  for (const chosen of [{ estimator: 'grpo' }, { estimator: 'rloo', estimatorMap: { solver: 'grpo' } }]) {
    expect(advantages(numbered([[1, 0, 0, 0]]), { ...centred, ...chosen })).toEqual([
      [0.75, -0.25, -0.25, -0.25],
    ]);
  }
});

test('A 20: a registered name works everywhere, and a slip of the finger is answered', () => {
  const registry = builtInRegistry();
  registry.addFunction(
    'mine',
    ({ rewards }) => ({ advantages: rewards.map((own) => own.map(() => 7)) }),
    'test',
  );
  for (const chosen of [{ estimator: 'mine' }, { estimatorMap: { solver: 'mine' } }]) {
    const own = group([1, 0]);
    collectRewardsAndAdvantages([own], algorithm(chosen), { registry });
    expect(advantagesOf(own)).toEqual([7, 7]);
  }
  expect(() =>
    collectRewardsAndAdvantages([group([1])], algorithm({ estimator: 'gropo' }), { registry }),
  ).toThrow(
    expect.objectContaining({
      code: 'UNKNOWN_NAME',
      message: expect.stringMatching(/"gropo".*Did you mean "grpo"/),
    }),
  );
});

test('A 21: nobody replaces a built-in unasked; the same thing twice is no fault', () => {
  const registry = builtInRegistry();
  const mine: EstimateFunction = ({ rewards }) => ({ advantages: rewards });
  expect(() => registry.addFunction('grpo', mine, 'a plugin')).toThrow(
    expect.objectContaining({ code: 'DUPLICATE_NAME' }),
  );
  registry.addFunction('grpo', mine, 'a plugin', { override: true });
  registry.addFunction('grpo', mine, 'a plugin');
  expect(registry.describe('grpo').owner).toBe('a plugin');
  const declared = AdvEstimator('twice')((batch) => mine(batch));
  const own = new EstimatorRegistry();
  for (const declaration of [...declarationsOf(declared), ...declarationsOf(declared)])
    own.add(declaration, 'p');
  expect(own.names()).toEqual(['twice']);
});

describe('A 23: an estimator that returns what does not fit', () => {
  const returning = (estimate: EstimateFunction) => {
    const registry = builtInRegistry();
    registry.addFunction('odd', estimate, 'test');
    const own = group([1, 0, 1]);
    collectRewardsAndAdvantages([own], algorithm({ estimator: 'odd' }), { registry });
    return own;
  };

  test.each([
    ['too few', () => ({ advantages: [[1, 2]] }), /"odd".*3 advantages.*"solver".*"t:solver".*2/],
    ['NaN', () => ({ advantages: [[1, 2, Number.NaN]] }), /NaN/],
    ['texts', () => ({ advantages: [['1', '2', '3']] }), /text/],
  ])('is an error: %s', (_, estimate, says) => {
    expect(() => returning(estimate as EstimateFunction)).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_OUTPUT', message: expect.stringMatching(says) }),
    );
  });

  test('the array it was given, which it changes later, spoils nothing', () => {
    let given: readonly Float64Array[] = [];
    const own = returning(({ rewards }) => {
      given = rewards;
      return { advantages: rewards };
    });
    for (const row of given) row.fill(9);
    expect(advantagesOf(own)).toEqual([1, 0, 1]);
    expect(own.trajectories.map(({ reward }) => reward)).toEqual([1, 0, 1]);
  });
});

test('A 26: batch statistics are of the batch, however many tasks are uniform in themselves', () => {
  const one = 0.5 / (0.5 + 1e-6);
  expect(
    advantages(
      numbered([
        [1, 1],
        [0, 0],
      ]),
      { estimator: 'prpo' },
    ),
  ).toEqual([
    [one, one],
    [-one, -one],
  ]);
});

test('rewards that are frozen or shared are left as they are', () => {
  const rewards = Object.freeze([1, 0, 0.5]) as readonly number[];
  expect(() => calculateGrpoAdvantages([rewards])).not.toThrow();
});
