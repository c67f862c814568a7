import { describe, expect, test, vi } from 'vitest';
import {
  type AdvantageBatch,
  type AdvantageEstimates,
  collectRewardsAndAdvantages,
  type EstimateFunction,
  type EstimatorRegistry,
  selectTrainable,
} from '../../src/advantage/index.js';
import type { AlgorithmConfig } from '../../src/config/types.js';
import { RllmError } from '../../src/errors.js';
import type { TrajectoryGroup } from '../../src/types/index.js';
import { leftOut } from '../grouping/support.js';
import { advantagesOf, algorithm, builtInRegistry, group } from './support.js';

const registry = builtInRegistry();

function withEstimator(estimate: EstimateFunction): EstimatorRegistry {
  const own = builtInRegistry();
  own.addFunction('mine', estimate, 'test');
  return own;
}

function collect(groups: readonly TrajectoryGroup[], overrides: Partial<AlgorithmConfig> = {}) {
  return collectRewardsAndAdvantages(groups, algorithm(overrides), { registry });
}

describe('roles', () => {
  test('each role gets its estimator, and roles do not mix', () => {
    const solver = group([1, 0]);
    const judge = group([0.25, 1], { role: 'judge' });
    const { metrics } = collect([solver, judge], { estimatorMap: { judge: 'reinforce' } });
    expect(advantagesOf(solver)).toEqual([0.5 / (0.5 + 1e-6), -0.5 / (0.5 + 1e-6)]);
    expect(advantagesOf(judge)).toEqual([0.25, 1]);
    expect(metrics).toMatchObject({ 'reward/solver/mean': 0.5, 'reward/judge/mean': 0.625 });
  });

  test('an estimator is called once per role, with all its groups', () => {
    const estimate = vi.fn(({ rewards }: AdvantageBatch) => ({ advantages: rewards }));
    const groups = [group([1, 0]), group([2], { role: 'judge' }), group([3, 4, 5], { taskId: 'u' })];
    collectRewardsAndAdvantages(groups, algorithm({ estimator: 'mine' }), {
      registry: withEstimator(estimate),
    });
    const calls = estimate.mock.calls.map(([{ role, rewards, groups: own }]) => [
      role,
      rewards.length,
      own.length,
    ]);
    expect(calls).toEqual([
      ['solver', 2, 2],
      ['judge', 1, 1],
    ]);
  });

  test.each(['constructor', '__proto__', 'a:b', 'a/b', ''])('%j is a role like any other', (role) => {
    const own = group([3], { role });
    expect(collect([own], { estimator: 'reinforce' }).metrics[`reward/${role}/mean`]).toBe(3);
    expect(advantagesOf(own)).toEqual([3]);
  });

  test('a registered name works as the global estimator and for one role alike', () => {
    const own = withEstimator(({ rewards }) => ({ advantages: rewards.map((row) => row.map(() => 7)) }));
    for (const config of [
      algorithm({ estimator: 'mine' }),
      algorithm({ estimatorMap: { solver: 'mine' } }),
    ]) {
      const solver = group([1, 0]);
      collectRewardsAndAdvantages([solver], config, { registry: own });
      expect(advantagesOf(solver)).toEqual([7, 7]);
    }
  });

  test('an unknown estimator is an error with a suggestion', () => {
    expect(() => collect([group([1, 0])], { estimator: 'gropo' })).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_NAME', message: expect.stringContaining('"grpo"') }),
    );
  });

  test('normAdvByStdInGrpo reaches grpo', () => {
    const own = group([1, 0, 0, 0]);
    collect([own], { normAdvByStdInGrpo: false });
    expect(advantagesOf(own)).toEqual([0.75, -0.25, -0.25, -0.25]);
  });
});

describe('what is written', () => {
  test('every step of a trajectory gets its advantage', () => {
    const own = group([1, 0], { tokens: [2, 1, 3] });
    collect([own], { estimator: 'rloo' });
    expect(own.trajectories.map(({ steps }) => steps.map(({ advantage }) => advantage))).toEqual([
      [1, 1, 1],
      [-1, -1, -1],
    ]);
  });

  test('advantages per token are dealt out to the steps in order', () => {
    const perToken = ({ groups }: AdvantageBatch): AdvantageEstimates => ({
      advantages: groups.map(({ trajectories }) => trajectories.map((_, i) => [i, 1, 2, 3, 4])),
    });
    const own = group([1, 0], { tokens: [2, 0, 3] });
    const { metrics } = collectRewardsAndAdvantages([own], algorithm({ estimator: 'mine' }), {
      registry: withEstimator(perToken),
    });
    expect(own.trajectories.map(({ steps }) => steps.map(({ advantage }) => advantage))).toEqual([
      [[0, 1], [], [2, 3, 4]],
      [[1, 1], [], [2, 3, 4]],
    ]);
    expect(metrics['advantage/solver/mean']).toBe(21 / 10);
  });

  test('returns per token go to the steps beside the advantages, unclipped, and go when there are none', () => {
    const own = group([1, 0], { tokens: [2, 0, 1] });
    const returnsOf = () => own.trajectories.map(({ steps }) => steps.map(({ returns }) => returns));
    const perToken = (returns?: AdvantageEstimates['returns']): EstimatorRegistry =>
      withEstimator(() => ({
        advantages: [[new Float64Array(3), new Float64Array(3)]],
        ...(returns === undefined ? {} : { returns }),
      }));
    const config = algorithm({ estimator: 'mine', advantageClip: 1 });
    const given = [
      [
        [5, -0, 7],
        [1, 2, 3],
      ],
    ];
    collectRewardsAndAdvantages([own], config, { registry: perToken(given) });
    expect(returnsOf()).toEqual([
      [[5, 0], [], [7]],
      [[1, 2], [], [3]],
    ]);
    collectRewardsAndAdvantages([own], config, { registry: perToken() });
    expect(returnsOf()).toEqual([
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
    for (const returns of [
      [[1, 2]],
      [[[1, 2, 3], [1]]],
      [
        [
          [1, 2, 3],
          [1, 2, Number.NaN],
        ],
      ],
    ]) {
      expect(() => collectRewardsAndAdvantages([own], config, { registry: perToken(returns) })).toThrow(
        expect.objectContaining({ code: 'ESTIMATOR_OUTPUT', message: expect.stringContaining('return') }),
      );
    }
  });

  test('−0 becomes 0', () => {
    const own = group([1, 0], { tokens: [1] });
    for (const value of [-0, [[-0], [-0]]]) {
      const estimate = (): AdvantageEstimates => ({
        advantages: typeof value === 'number' ? [[value, value]] : [value],
      });
      collectRewardsAndAdvantages([own], algorithm({ estimator: 'mine' }), {
        registry: withEstimator(estimate),
      });
      expect(advantagesOf(own).flat()).toEqual([0, 0]);
    }
  });

  test('an estimator that spoils its input or its output later spoils nothing else', () => {
    let kept: Float64Array[] = [];
    const own = group([1, 0]);
    const spoil = ({ rewards }: AdvantageBatch): AdvantageEstimates => {
      for (const row of rewards) row.fill(5);
      kept = [...rewards];
      return { advantages: rewards };
    };
    const { metrics } = collectRewardsAndAdvantages([own], algorithm({ estimator: 'mine' }), {
      registry: withEstimator(spoil),
    });
    for (const row of kept) row.fill(Number.NaN);
    expect(own.trajectories.map(({ reward }) => reward)).toEqual([1, 0]);
    expect(metrics['reward/solver/mean']).toBe(0.5);
    expect(advantagesOf(own)).toEqual([5, 5]);
  });

  test('with collectAdvantage false only rewards are collected', () => {
    const own = group([1, 0]);
    const { metrics } = collectRewardsAndAdvantages([own], algorithm({ estimator: 'none of that name' }), {
      registry,
      collectAdvantage: false,
    });
    expect(Object.keys(metrics).filter((key) => key.startsWith('advantage/'))).toEqual([]);
    expect(metrics['reward/solver/max']).toBe(1);
    expect(advantagesOf(own)).toEqual([null, null]);
  });

  test('no groups give no metrics', () => {
    expect(collect([])).toEqual({ metrics: {}, groups: [], dropped: [], warnings: [] });
  });

  test('an empty group is an error that names it', () => {
    expect(() => collect([group([])])).toThrow(
      expect.objectContaining({ code: 'EMPTY_GROUP', message: expect.stringContaining('"t:solver"') }),
    );
  });
});

describe('what an estimator returns is checked', () => {
  const returning = (output: unknown) => () => {
    const estimate = (() => output) as EstimateFunction;
    collectRewardsAndAdvantages(
      [group([1, 0, 1], { tokens: [2] }), group([1, 0], { taskId: 'u', tokens: [2] })],
      algorithm({ estimator: 'mine' }),
      { registry: withEstimator(estimate) },
    );
  };
  const fine = [0, 0];

  test.each([
    { what: 'nothing', output: undefined, says: 'undefined' },
    { what: 'a bare list', output: [[1, 2, 3], fine], says: 'list of 2' },
    { what: 'a promise', output: Promise.resolve({ advantages: [[1, 2, 3], fine] }), says: 'a promise' },
    { what: 'too few groups', output: { advantages: [[1, 2, 3]] }, says: '2 groups' },
    { what: 'a group too short', output: { advantages: [[1, 2], fine] }, says: '3 advantages' },
    {
      what: 'a group too long',
      output: {
        advantages: [
          [1, 2, 3],
          [1, 2, 3],
        ],
      },
      says: '2 advantages',
    },
    { what: 'a text for a group', output: { advantages: ['123', fine] }, says: 'the text "123"' },
    { what: 'texts', output: { advantages: [[1, 2, '3'], fine] }, says: 'the text "3"' },
    {
      what: 'NaN',
      output: {
        advantages: [
          [1, 2, 3],
          [0, Number.NaN],
        ],
      },
      says: 'NaN',
    },
    {
      what: 'infinity',
      output: {
        advantages: [
          [1, 2, 3],
          [0, Number.POSITIVE_INFINITY],
        ],
      },
      says: 'Infinity',
    },
    { what: 'holes', output: { advantages: [[1, undefined, 3], fine] }, says: 'undefined' },
    {
      what: 'per token in one group only',
      output: {
        advantages: [
          [1, 2, 3],
          [
            [1, 1],
            [1, 1],
          ],
        ],
      },
      says: 'list of 2',
    },
    {
      what: 'too many tokens',
      output: {
        advantages: [
          [
            [1, 1],
            [1, 1, 1],
            [1, 1],
          ],
          [
            [1, 1],
            [1, 1],
          ],
        ],
      },
      says: '2 token advantages of trajectory 1',
    },
    {
      what: 'NaN in a token',
      output: {
        advantages: [
          [
            [1, 1],
            [1, Number.NaN],
            [1, 1],
          ],
          [
            [1, 1],
            [1, 1],
          ],
        ],
      },
      says: 'advantage 1, token 1',
    },
  ])('$what is an error that says so', ({ output, says }) => {
    expect(returning(output)).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_OUTPUT', message: expect.stringContaining(says) }),
    );
  });

  test('the error names estimator, role and group, what was expected and what came', () => {
    expect(returning({ advantages: [[1, 2], fine] })).toThrow(
      expect.objectContaining({
        message:
          'The advantage estimator "mine" of test was to return 3 advantages for role "solver", group "t:solver", and returned 2.',
        details: {
          estimator: 'mine',
          role: 'solver',
          groupId: 't:solver',
          expected: '3 advantages',
          got: '2',
        },
      }),
    );
  });

  test('what it throws is the cause of an error that names it', () => {
    const cause = new TypeError('x is undefined');
    const estimate = (): never => {
      throw cause;
    };
    expect(() =>
      collectRewardsAndAdvantages([group([1, 0])], algorithm({ estimator: 'mine' }), {
        registry: withEstimator(estimate),
      }),
    ).toThrow(
      expect.objectContaining({
        code: 'ESTIMATOR_THREW',
        cause,
        message: expect.stringMatching(/"mine".*"solver"/),
      }),
    );
  });

  test('an error that it throws with a code keeps the code and its details, beside the names', () => {
    const estimate = (): never => {
      throw new RllmError('REWARD_NOT_FINITE', 'Step 1 is worth NaN.', { details: { step: 1 } });
    };
    expect(() =>
      collectRewardsAndAdvantages([group([1, 0])], algorithm({ estimator: 'mine' }), {
        registry: withEstimator(estimate),
      }),
    ).toThrow(
      expect.objectContaining({
        code: 'REWARD_NOT_FINITE',
        message: expect.stringMatching(/"mine".*"solver": Step 1 is worth NaN\./),
        details: { step: 1, estimator: 'mine', role: 'solver' },
      }),
    );
  });
});

describe('missing rewards', () => {
  const bad = [
    { reward: undefined, code: 'REWARD_MISSING' },
    { reward: Number.NaN, code: 'REWARD_NOT_FINITE' },
    { reward: Number.POSITIVE_INFINITY, code: 'REWARD_NOT_FINITE' },
  ];

  test.each(bad)('$reward stops the run by default, naming task, rollout and role', ({ reward, code }) => {
    expect(() => collect([group([1, reward], { taskId: 't1' }), group([1, 0], { taskId: 't2' })])).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(/rollout 1.*"t1".*"solver"/) }),
    );
  });

  test.each(bad)('$reward is left out of its group under "exclude", and touches no other', ({ reward }) => {
    const one = group([1, reward, 0], { taskId: 't1' });
    const other = group([1, 0], { taskId: 't2' });
    const alone = group([1, 0], { taskId: 't2' });
    const result = collect([one, other], {
      missingReward: 'exclude',
      estimator: 'reinforce_plus_plus_baseline',
    });
    collect([group([1, 0], { taskId: 't1' }), alone], { estimator: 'reinforce_plus_plus_baseline' });
    expect(advantagesOf(other)).toEqual(advantagesOf(alone));
    expect(advantagesOf(one)).toEqual([advantagesOf(alone)[0], null, advantagesOf(alone)[1]]);
    expect(result.metrics['reward/solver/mean']).toBe(0.5);
    expect(result.dropped).toEqual([
      { reason: 'unscored', rollouts: [one.metadata[1]], trajectories: [one.trajectories[1]] },
    ]);
    expect(result.groups.map(({ trajectories, metadata }) => [trajectories.length, metadata.length])).toEqual(
      [
        [2, 2],
        [2, 2],
      ],
    );
  });

  test('a group without any scored trajectory is dropped', () => {
    const own = group([undefined, undefined], { advantage: 3 });
    const result = collect([own], { missingReward: 'exclude' });
    expect(result.groups).toEqual([]);
    expect(result.dropped.map(({ reason }) => reason)).toEqual(['unscored', 'unscored']);
    expect(advantagesOf(own)).toEqual([null, null]);
  });

  test('selecting early gives the same as selecting in the collection', () => {
    const config = algorithm({ missingReward: 'exclude', loneTrajectory: 'drop' });
    const groups = (): TrajectoryGroup[] => [
      group([1, undefined, 0]),
      group([4, undefined], { taskId: 'u' }),
    ];
    const [late, early] = [groups(), groups()];
    const once = collectRewardsAndAdvantages(late, config, { registry });
    const selected = selectTrainable(early, config);
    const twice = collectRewardsAndAdvantages(selected.groups, config, { registry });
    expect(twice.metrics).toEqual(once.metrics);
    expect(twice.dropped).toEqual([]);
    expect(leftOut(selected.dropped)).toEqual([
      ['unscored', 't', 1],
      ['unscored', 'u', 1],
      ['lone_trajectory', 'u', 0],
    ]);
    expect(early.map(advantagesOf)).toEqual(late.map(advantagesOf));
  });
});

describe('a lone trajectory', () => {
  const names = ['grpo', 'reinforce', 'reinforce_plus_plus_baseline', 'rloo'];

  test.each(names)('gets what the reference gives under "reward" (%s)', (estimator) => {
    const own = group([4]);
    collect([own], { estimator });
    expect(advantagesOf(own)[0]).toBeCloseTo(4, 4);
  });

  test.each(names)('gets 0 under "zero", and does not move the other groups (%s)', (estimator) => {
    const [lone, pair, reference] = [group([4]), group([1, 0], { taskId: 'u' }), group([1, 0])];
    const { groups, metrics } = collect([lone, pair], { estimator, loneTrajectory: 'zero' });
    collect([reference], { estimator });
    expect(advantagesOf(lone)).toEqual([0]);
    expect(advantagesOf(pair)).toEqual(advantagesOf(reference));
    expect(groups).toHaveLength(2);
    expect(metrics['advantage/solver/fraction_zero']).toBeCloseTo(estimator === 'reinforce' ? 2 / 3 : 1 / 3);
  });

  test.each(names)('does not train under "drop" (%s)', (estimator) => {
    const [lone, pair, reference] = [group([4]), group([1, 0], { taskId: 'u' }), group([1, 0])];
    const { groups, dropped } = collect([lone, pair], { estimator, loneTrajectory: 'drop' });
    collect([reference], { estimator });
    expect(advantagesOf(lone)).toEqual([null]);
    expect(advantagesOf(pair)).toEqual(advantagesOf(reference));
    expect(groups).toEqual([pair]);
    expect(leftOut(dropped)).toEqual([['lone_trajectory', 't', 0]]);
  });

  test('the policy holds for an estimator of one’s own, which then sees no group at all', () => {
    const estimate = vi.fn(({ rewards }: AdvantageBatch) => ({ advantages: rewards }));
    const own = group([4]);
    collectRewardsAndAdvantages([own], algorithm({ estimator: 'mine', loneTrajectory: 'zero' }), {
      registry: withEstimator(estimate),
    });
    expect(advantagesOf(own)).toEqual([0]);
    expect(estimate).not.toHaveBeenCalled();
  });

  test('is also the one scored trajectory of a group', () => {
    const own = group([1, undefined, undefined]);
    collect([own], { missingReward: 'exclude', loneTrajectory: 'zero' });
    expect(advantagesOf(own)).toEqual([0, null, null]);
  });
});

describe('precomputed advantages', () => {
  const precomputed = { usePrecomputedAdvantage: true };

  test('a list per token, a number for all, 0 for a step without any', () => {
    const own = group([undefined], { tokens: [2, 3, 1] });
    const [list, number, none] = own.trajectories[0]?.steps ?? [];
    if (list) list.advantage = [0.5, -0.5];
    if (number) number.advantage = 1;
    const { metrics } = collect([own], precomputed);
    expect([list?.advantage, number?.advantage, none?.advantage]).toEqual([[0.5, -0.5], 1, 0]);
    expect(metrics).toMatchObject({
      'advantage/solver/mean': 0.5,
      'advantage/solver/min': -0.5,
      'advantage/solver/fraction_zero': 1 / 6,
    });
    expect(metrics).not.toHaveProperty('reward/solver/mean');
  });

  test('a number of −0 becomes 0', () => {
    const own = group([1], { advantage: -0 });
    collect([own], precomputed);
    expect(advantagesOf(own)).toEqual([0]);
  });

  test('a list of another length is an error that names the step', () => {
    expect(() => collect([group([1], { tokens: [3], advantage: [0.1, 0.2] })], precomputed)).toThrow(
      expect.objectContaining({
        code: 'ADVANTAGE_LENGTH',
        message: expect.stringMatching(/"t-0-0".*rollout 0 of task "t".*3 response tokens and 2/),
        details: expect.objectContaining({ stepId: 't-0-0', expected: 3, got: 2 }),
      }),
    );
  });

  test.each([Number.NaN, [0, Number.POSITIVE_INFINITY]])('%j is not finite', (advantage) => {
    expect(() => collect([group([1], { tokens: [2], advantage })], precomputed)).toThrow(
      expect.objectContaining({ code: 'ADVANTAGE_NOT_FINITE' }),
    );
  });

  test('groups without any are estimated as ever, beside those that have them', () => {
    const [given, estimated] = [group([1, 0], { advantage: 9 }), group([1, 0], { taskId: 'u' })];
    collect([given, estimated], { ...precomputed, estimator: 'rloo' });
    expect([given, estimated].map(advantagesOf)).toEqual([
      [9, 9],
      [1, -1],
    ]);
  });

  test('a step that nobody touched stays without one through JSON', () => {
    const own = JSON.parse(JSON.stringify(group([1, 0]))) as TrajectoryGroup;
    collect([own], { ...precomputed, estimator: 'rloo' });
    expect(advantagesOf(own)).toEqual([1, -1]);
  });

  test('unless they are asked for they are overwritten, with a warning', () => {
    const own = group([1, 0], { advantage: 9 });
    const { warnings } = collect([own], { estimator: 'rloo' });
    expect(advantagesOf(own)).toEqual([1, -1]);
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'ADVANTAGES_OVERWRITTEN', message: expect.stringContaining('"rloo"') }),
    ]);
  });
});

describe('difficulty', () => {
  test('counts groups of two or more: informative, too easy, too hard', () => {
    const rewards = [[1, 0], [1, 1], [0, 0], [0.5, 0.5], [1]];
    const groups = rewards.map((own, g) => group(own, { taskId: `t${g}` }));
    expect(collect(groups).metrics).toMatchObject({
      'batch/solver/total': 4,
      'batch/solver/informative': 1,
      'batch/solver/fractions/effective': 0.25,
      'batch/solver/fractions/too_easy': 0.25,
      'batch/solver/fractions/too_hard': 0.25,
      // Means 0, 0.5, 0.5, 1 and stds 0, 0, 0, 0.5, as numpy.percentile gives them.
      'batch/solver/group_reward_mean/p10': expect.closeTo(0.15, 12),
      'batch/solver/group_reward_mean/p50': 0.5,
      'batch/solver/group_reward_mean/p90': expect.closeTo(0.85, 12),
      'batch/solver/group_reward_std/p10': 0,
      'batch/solver/group_reward_std/p90': expect.closeTo(0.35, 12),
    });
  });

  test('three tenths are no spread', () => {
    expect(collect([group([0.1, 0.1, 0.1])]).metrics['batch/solver/informative']).toBe(0);
  });

  test('without groups to compare there are no shares', () => {
    const { metrics } = collect([group([1])]);
    expect(metrics).toMatchObject({ 'batch/solver/total': 0, 'batch/solver/informative': 0 });
    expect(Object.values(metrics).every(Number.isFinite)).toBe(true);
    expect(metrics).not.toHaveProperty('batch/solver/fractions/effective');
  });
});
