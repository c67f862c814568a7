import { describe, expect, test } from 'vitest';
import { readRewards } from '../../src/advantage/group-rewards.js';
import type { RejectionSamplingConfig } from '../../src/config/types.js';
import { applyRejectionSampling, countSolved, type RejectionSampling } from '../../src/filtering/index.js';
import { taskRoleGrouping } from '../../src/grouping/index.js';
import { EMPTY_REJECTION_STATE, type Episode, type RejectionSamplingState } from '../../src/types/index.js';
import { episode, leftOut, TRANSFORM, trajectory } from '../grouping/support.js';

/** Rollouts of one task, one trajectory each; those with a reward of 1 or more are correct. */
function rollouts(taskId: string, rewards: readonly (number | undefined)[]): Episode[] {
  return rewards.map((reward, k) =>
    episode(taskId, k, [trajectory('solver', reward)], { isCorrect: (reward ?? 0) >= 1 }),
  );
}

/** By the trajectories, and by what was known before: that makes no difference. */
function reject(
  episodes: readonly Episode[],
  config: Partial<RejectionSamplingConfig> = {},
  state?: RejectionSamplingState,
): RejectionSampling {
  const full = { mode: 'none', minPartialSolveTasks: 1, minTrajsPerGroup: 1, ...config } as const;
  const groups = taskRoleGrouping(episodes, TRANSFORM);
  const result = applyRejectionSampling(episodes, groups, full, state);
  const known = { rewards: readRewards(groups), solved: countSolved(episodes, new Set()) };
  expect(applyRejectionSampling(episodes, groups, full, state, known)).toEqual(result);
  return result;
}

const ids = ({ groups }: RejectionSampling): string[] => groups.map(({ taskId }) => taskId);

describe('mode "none"', () => {
  test('drops nothing: not uniform groups, nor single trajectories', () => {
    const result = reject([...rollouts('a', [1, 1]), ...rollouts('b', [0]), ...rollouts('c', [1, 0])]);
    expect(ids(result)).toEqual(['a', 'b', 'c']);
    expect(result.dropped).toEqual([]);
    expect(result.metrics).toEqual({
      'batch/num_tasks': 3,
      'batch/solve_none': 1 / 3,
      'batch/solve_all': 1 / 3,
      'batch/solve_partial': 1 / 3,
      'batch/groups_before_filter': 3,
      'batch/groups_after_filter': 3,
      'batch/groups_dropped_insufficient_trajs': 0,
    });
  });

  test('an empty batch has 0 tasks', () => {
    const { metrics, groups } = reject([]);
    expect(groups).toEqual([]);
    expect(new Set(Object.values(metrics))).toEqual(new Set([0]));
  });
});

test.each(['none', 'group', 'episode'] as const)(
  'groups below the minimum are dropped in mode "%s"',
  (mode) => {
    const given = [...rollouts('a', [1, 0]), ...rollouts('b', [1, 0, 0])];
    const result = reject(given, { mode, minTrajsPerGroup: 3 });
    expect(ids(result)).toEqual(['b']);
    expect(leftOut(result.dropped)).toEqual([
      ['too_few_trajectories', 'a', 0],
      ['too_few_trajectories', 'a', 1],
    ]);
    expect(result.metrics).toMatchObject({ 'batch/num_tasks': 1, 'batch/solve_partial': 1 });
  },
);

describe('mode "group"', () => {
  test.each([
    { what: 'three tenths', rewards: [0.1, 0.1, 0.1], kept: false },
    { what: 'seven thirds', rewards: new Array<number>(7).fill(1 / 3), kept: false },
    { what: 'both zeros', rewards: [0, -0], kept: false },
    { what: 'a single trajectory', rewards: [1], kept: false },
    { what: 'the smallest difference', rewards: [1, 1 + Number.EPSILON], kept: true },
    { what: 'all solved with shaped rewards', rewards: [1, 1.1], kept: true },
  ])('$what: kept $kept', ({ rewards, kept }) => {
    const result = reject(rollouts('t', rewards), { mode: 'group' });
    expect(result.groups).toHaveLength(kept ? 1 : 0);
    expect(result.dropped.every(({ reason }) => reason === 'uniform_group')).toBe(true);
  });

  test('may drop every group; tasks still count as solved by all or none', () => {
    const result = reject([...rollouts('a', [1, 1]), ...rollouts('b', [0, 0])], { mode: 'group' });
    expect(result.groups).toEqual([]);
    expect(result.metrics).toMatchObject({
      'batch/solve_all': 0.5,
      'batch/solve_none': 0.5,
      'batch/groups_dropped_uniform': 2,
      'batch/groups_after_filter': 0,
    });
  });

  test.each([
    [1, undefined],
    [undefined],
    [Number.NaN, Number.NaN],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])(
    'a group with a missing or non-finite reward (%s, %s) stays, for the policy on missing rewards to decide',
    (...rewards) => {
      expect(ids(reject(rollouts('t', rewards), { mode: 'group' }))).toEqual(['t']);
    },
  );
});

describe('mode "episode"', () => {
  const config = { mode: 'episode', minPartialSolveTasks: 2 } as const;

  test('waits until enough tasks are partly solved, then trains on all and starts over', () => {
    const first = rollouts('a', [1, 0]);
    const waiting = reject([...first, ...rollouts('b', [1, 1])], config);
    expect(ids(waiting)).toEqual([]);
    expect(waiting.episodes).toEqual([]);
    expect(waiting.state.partialSolveTasks).toBe(1);
    expect(waiting.waiting).toMatch(/1 of 2 partly solved tasks/);
    expect(waiting.metrics).toMatchObject({ 'batch/partial_solve_tasks': 1, 'batch/groups_waiting': 2 });

    const ready = reject(rollouts('c', [0, 1]), config, waiting.state);
    expect(ids(ready)).toEqual(['a', 'b', 'c']);
    expect(ready.episodes).toHaveLength(6);
    expect(ready.episodes[0]).toBe(first[0]);
    expect(ready.waiting).toBeNull();
    expect(ready.state).toEqual(EMPTY_REJECTION_STATE);
    expect(ready.metrics).toMatchObject({ 'batch/partial_solve_tasks': 2, 'batch/groups_waiting': 0 });
  });

  test('a task that comes back in a later batch counts again', () => {
    const waiting = reject(rollouts('a', [1, 0]), config);
    expect(ids(reject(rollouts('a', [0, 1]), config, waiting.state))).toEqual(['a', 'a']);
  });

  test('a state that went through JSON decides the same', () => {
    const { state } = reject([...rollouts('a', [1, 0]), ...rollouts('b', [0, 0])], config);
    const loaded = JSON.parse(JSON.stringify(state)) as RejectionSamplingState;
    const next = rollouts('c', [0, 1]);
    expect(structuredClone(reject(next, config, loaded))).toEqual(
      structuredClone(reject(next, config, state)),
    );
  });

  test('the state given is not changed, and holds no rollout that was dropped', () => {
    const given = [...rollouts('a', [1, 0]), ...rollouts('b', [1])];
    const { state } = reject(given, { ...config, minTrajsPerGroup: 2 });
    expect(state.episodes.map(({ taskId }) => taskId)).toEqual(['a', 'a']);
    const frozen = structuredClone(state);
    reject(rollouts('c', [0, 1]), config, state);
    expect(structuredClone(state)).toEqual(frozen);
  });

  test('with a minimum of 0 nothing waits', () => {
    expect(ids(reject(rollouts('a', [0, 0]), { ...config, minPartialSolveTasks: 0 }))).toEqual(['a']);
  });
});

describe('a task is solved by none, all or some of its rollouts', () => {
  test.each([
    { rewards: [0, 0], key: 'batch/solve_none' },
    { rewards: [1, 1], key: 'batch/solve_all' },
    { rewards: [1, 0], key: 'batch/solve_partial' },
  ])('$rewards is $key', ({ rewards, key }) => {
    expect(reject(rollouts('t', rewards)).metrics[key]).toBe(1);
  });

  test('by its id as a whole', () => {
    const given = [...rollouts('gsm8k:12', [1]), ...rollouts('gsm8k:13', [0])];
    expect(reject(given).metrics).toMatchObject({ 'batch/num_tasks': 2, 'batch/solve_partial': 0 });
  });
});
