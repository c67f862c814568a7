import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectRewardsAndAdvantages } from '../../src/advantage/index.js';
import type { GroupingHook } from '../../src/grouping/index.js';
import type { Episode, TrajectoryGroup } from '../../src/types/index.js';
import { algorithm, builtInRegistry } from '../advantage/support.js';
import { episode, leftOut, rewardsByGroup, trajectory, transform } from './support.js';

describe('the default hook', () => {
  test('makes one group for each task and role, in the order of their first appearance', () => {
    const result = transform([
      episode('a', 0, [trajectory('solver', 1), trajectory('solver', 0), trajectory('judge', 0.5)]),
      episode('b', 0, [trajectory('judge', 1)]),
      episode('a', 1, [trajectory('judge', 0.25), trajectory('solver', 1)]),
    ]);
    expect(rewardsByGroup(result)).toEqual([
      ['a:solver', [1, 0, 1]],
      ['a:judge', [0.5, 0.25]],
      ['b:judge', [1]],
    ]);
    expect(result.groups[0]?.metadata.map(({ taskId, rolloutIndex }) => [taskId, rolloutIndex])).toEqual([
      ['a', 0],
      ['a', 0],
      ['a', 1],
    ]);
  });

  test('its groups are plain data, with the episodes themselves as metadata', () => {
    const episodes = [0, 1].map((k) => episode('a', k, [trajectory('solver', k)], { reason: 'env_done' }));
    const [group] = transform(episodes).groups;
    const trajectories = episodes.flatMap((one) => one.trajectories);
    expect(group).toStrictEqual({
      groupId: 'a:solver',
      role: 'solver',
      taskId: 'a',
      trajectories,
      metadata: episodes,
    });
    expect(group?.metadata.map((origin, k) => origin === episodes[k])).toEqual([true, true]);
  });

  test('an episode that lost a trajectory stands in the metadata as it is', () => {
    const whole = episode('a', 0, [trajectory('solver', 1), trajectory('judge', 1, [])]);
    const [group] = transform([whole]).groups;
    expect(group?.metadata[0]).toBe(whole);
    expect(whole.trajectories).toHaveLength(2);
  });

  test('the list of episodes may change afterwards', () => {
    const episodes = [0, 1, 2].map((k) => episode('t', k, [trajectory('solver', k)]));
    const [group] = transform(episodes).groups;
    episodes.reverse().pop();
    expect(group?.metadata.map(({ rolloutIndex }) => rolloutIndex)).toEqual([0, 1, 2]);
  });

  test('rollouts of tasks and roles in any order stand in their groups, each with its origin', () => {
    const place = fc.tuple(
      fc.constantFrom('a', 'b', 'c'),
      fc.array(fc.constantFrom('x', 'y'), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(place, { maxLength: 12 }), (places) => {
        const episodes = places.map(([taskId, roles], k) =>
          episode(
            taskId,
            k,
            roles.map((role) => trajectory(role, k)),
          ),
        );
        const expected = new Map<string, number[]>();
        for (const [k, [taskId, roles]] of places.entries()) {
          for (const role of roles) {
            expected.set(`${taskId}:${role}`, [...(expected.get(`${taskId}:${role}`) ?? []), k]);
          }
        }
        const { groups } = transform(episodes);
        expect(groups.map(({ groupId, metadata }) => [groupId, metadata.map((o) => o.rolloutIndex)])).toEqual(
          [...expected],
        );
        for (const { trajectories, metadata } of groups) {
          expect(trajectories.map(({ reward }) => reward)).toEqual(metadata.map((o) => o.rolloutIndex));
        }
      }),
    );
  });

  test('takes a role of its own for each of 30,000 tasks', () => {
    const steps = trajectory('any', 1).steps;
    const episodes = Array.from({ length: 30_000 }, (_, k) => ({
      ...episode(`t${k}`, 0, []),
      trajectories: [{ uid: `u${k}`, name: `role-${k}`, steps, info: {}, reward: 1 }],
    }));
    const { groups } = transform([...episodes, ...episodes]);
    expect(groups).toHaveLength(30_000);
    expect(groups.every(({ trajectories }) => trajectories.length === 2)).toBe(true);
  });

  test('keeps tasks apart whose ids begin alike', () => {
    const result = transform([
      episode('gsm8k:12', 0, [trajectory('solver', 1)]),
      episode('gsm8k:13', 0, [trajectory('solver', 0)]),
    ]);
    expect(result.groups.map(({ taskId }) => taskId)).toEqual(['gsm8k:12', 'gsm8k:13']);
  });

  test('keeps apart what a joined string would confuse', () => {
    const result = transform([
      episode('a:b', 0, [trajectory('c', 1)]),
      episode('a', 0, [trajectory('b:c', 0)]),
    ]);
    expect(result.groups.map(({ taskId, role }) => [taskId, role])).toEqual([
      ['a:b', 'c'],
      ['a', 'b:c'],
    ]);
  });

  test('any text is a task id', () => {
    const ids = fc.uniqueArray(fc.oneof(fc.string(), fc.string({ unit: 'binary', minLength: 200 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(ids, (taskIds) => {
        const episodes = taskIds.flatMap((id) =>
          [0, 1].map((k) => episode(id, k, [trajectory('solver', k)])),
        );
        expect(
          transform(episodes).groups.map(({ taskId, trajectories }) => [taskId, trajectories.length]),
        ).toEqual(taskIds.map((id) => [id, 2]));
      }),
    );
  });

  test('siblings with ids of their own share one group', () => {
    const rewards = [1, 0, 1, 0];
    const result = transform(rewards.map((reward, k) => episode('t', k, [trajectory('solver', reward)])));
    expect(rewardsByGroup(result)).toEqual([['t:solver', rewards]]);
  });
});

describe('names', () => {
  test('are imputed by the position in the episode, step-less trajectories included', () => {
    const given = episode('t', 0, [
      trajectory(undefined, 1, []),
      trajectory('judge', 1),
      trajectory(undefined, 1),
      trajectory('', 1),
    ]);
    const result = transform([given]);
    expect(result.groups.map(({ role }) => role)).toEqual([
      'judge',
      'default_traj_name_2',
      'default_traj_name_3',
    ]);
    expect(given.trajectories.map(({ name }) => name)).toEqual([
      'default_traj_name_0',
      'judge',
      'default_traj_name_2',
      'default_traj_name_3',
    ]);
  });

  test('without imputation unnamed trajectories are dropped and counted, and the episode keeps them', () => {
    const given = episode('t', 0, [trajectory(undefined, 1), trajectory('judge', 1)]);
    const result = transform([given], { transform: { imputeMissingNames: false } });
    expect(rewardsByGroup(result)).toEqual([['t:judge', [1]]]);
    expect(result.metrics['grouping/num_trajs_unnamed']).toBe(1);
    expect(result.dropped.map(({ reason }) => reason)).toEqual(['unnamed']);
    expect(given.trajectories).toHaveLength(2);
  });
});

describe('rewards', () => {
  test.each([
    { source: 'last', expected: 0 },
    { source: 'sum', expected: 1 },
    { source: 'none', expected: undefined },
  ] as const)('of steps [1, 0] make $expected under "$source"', ({ source, expected }) => {
    const given = episode('t', 0, [trajectory('solver', undefined, [1, 0])]);
    transform([given], { transform: { trajectoryReward: source } });
    expect(given.trajectories[0]?.reward).toBe(expected);
  });

  test('are resolved for each trajectory on its own', () => {
    const result = transform([
      episode('t', 0, [trajectory('solver', 7, [1])]),
      episode('t', 1, [trajectory('solver', undefined, [1])]),
      episode('t', 2, [trajectory('solver', 0, [1])]),
    ]);
    expect(rewardsByGroup(result)).toEqual([['t:solver', [7, 1, 0]]]);
  });
});

describe('what is left out', () => {
  test('compact filtering leaves rollouts out by how they ended; without a reason it is unknown', () => {
    const result = transform(
      [
        episode('t', 0, [trajectory('solver', 1)], { reason: 'timeout' }),
        episode('t', 1, [trajectory('solver', 1)], { reason: 'env_done' }),
        episode('t', 2, [trajectory('solver', 1)]),
      ],
      { compactFiltering: { enable: true, maskTimeout: true, maskUnknown: true } },
    );
    expect(rewardsByGroup(result)).toEqual([['t:solver', [1]]]);
    expect(leftOut(result.dropped)).toEqual([
      ['filtered_timeout', 't', 0],
      ['filtered_unknown', 't', 2],
    ]);
  });

  test('a filtered sibling does not shift the baseline of the others', () => {
    const { groups } = transform(
      [
        episode('t', 0, [trajectory('solver', 100)], { reason: 'timeout' }),
        episode('t', 1, [trajectory('solver', 1)]),
      ],
      { compactFiltering: { enable: true, maskTimeout: true } },
    );
    const [own] = groups;
    collectRewardsAndAdvantages(groups, algorithm({ loneTrajectory: 'zero' }), {
      registry: builtInRegistry(),
    });
    expect(own?.trajectories.map(({ steps }) => steps[0]?.advantage)).toEqual([0]);
  });

  test('a mask does nothing while filtering is disabled', () => {
    const given = episode('t', 0, [trajectory('solver', 1)], { reason: 'timeout' });
    expect(transform([given], { compactFiltering: { maskTimeout: true } }).groups).toHaveLength(1);
  });

  test('rollouts without a step are told apart: failed, or nothing recorded', () => {
    const { dropped, groups } = transform([
      episode('t', 0, [], { reason: 'error' }),
      episode('t', 1, []),
      episode('t', 2, [trajectory('solver', 1, [])]),
    ]);
    expect(groups).toEqual([]);
    expect(dropped.map(({ reason }) => reason)).toEqual(['failed', 'no_steps', 'no_steps']);
  });

  test('what the hook puts into no group is counted', () => {
    const { dropped } = transform([episode('t', 0, [trajectory('solver', 1)])], { hook: () => [] });
    expect(leftOut(dropped)).toEqual([['not_grouped', 't', 0]]);
  });

  test('only names and rewards of the episodes given are written', () => {
    const given = episode('t', 0, [trajectory(undefined, undefined, [1]), trajectory('judge', 1, [])]);
    const copy = structuredClone(given);
    const { groups } = transform([given]);
    const [first] = copy.trajectories;
    if (first !== undefined) Object.assign(first, { name: 'default_traj_name_0', reward: 1 });
    expect(structuredClone(given)).toEqual(copy);
    expect(groups[0]?.trajectories[0]).toBe(given.trajectories[0]);
  });
});

describe('metrics', () => {
  test('count trajectories before and after, and group sizes', () => {
    const result = transform([
      episode('a', 0, [trajectory('solver', 1), trajectory('solver', 1, [])]),
      episode('a', 1, [trajectory('solver', 1), trajectory('judge', 1)]),
    ]);
    expect(result.metrics).toEqual({
      'grouping/num_trajs_before_filter': 4,
      'grouping/num_trajs_after_filter': 3,
      'grouping/num_groups': 2,
      'grouping/avg_group_size': 1.5,
      'grouping/max_group_size': 2,
      'grouping/min_group_size': 1,
    });
  });

  test('are finite for an empty batch', () => {
    expect(Object.values(transform([]).metrics)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('a warning for groups of one', () => {
  test('comes when tasks have several rollouts and nothing is compared', () => {
    const given = [0, 1].map((k) => episode('t', k, [trajectory(`solver-${k}`, k)]));
    expect(transform(given).warnings).toEqual([expect.objectContaining({ code: 'SINGLETON_GROUPS' })]);
  });

  test.each([
    { what: 'one rollout per task', ids: ['a', 'b'], roles: ['s', 's'] },
    { what: 'a group of two', ids: ['a', 'a'], roles: ['s', 's'] },
  ])('does not come with $what', ({ ids, roles }) => {
    const given = ids.map((id, k) => episode(id, k, [trajectory(roles[k], k)]));
    expect(transform(given).warnings).toEqual([]);
  });
});

describe('a hook of one’s own', () => {
  const episodes = (): Episode[] => [0, 1].map((k) => episode('t', k, [trajectory('solver', k)]));
  const groupOf = (...from: readonly Episode[]): TrajectoryGroup => ({
    groupId: 'all',
    role: 'solver',
    taskId: 't',
    trajectories: from.flatMap(({ trajectories }) => trajectories),
    metadata: from.map(({ taskId, rolloutIndex, isCorrect }) => ({ taskId, rolloutIndex, isCorrect })),
  });

  test('sees what trains: named, rewarded, filtered, with steps', () => {
    let seen: readonly Episode[] = [];
    const hook: GroupingHook = (given) => {
      seen = given;
      return [];
    };
    transform(
      [
        episode('t', 0, [trajectory(undefined, undefined, [2]), trajectory('judge', 1, [])]),
        episode('t', 1, [trajectory('solver', 1)], { reason: 'timeout' }),
      ],
      { hook, compactFiltering: { enable: true, maskTimeout: true } },
    );
    expect(seen.map(({ trajectories }) => trajectories.map(({ name, reward }) => [name, reward]))).toEqual([
      [['default_traj_name_0', 2]],
    ]);
  });

  test('groups across tasks', () => {
    const given = [episode('a', 0, [trajectory('solver', 1)]), episode('b', 0, [trajectory('solver', 0)])];
    expect(transform(given, { hook: (all) => [groupOf(...all)] }).groups).toHaveLength(1);
  });

  type Wrong = (all: readonly Episode[], own: TrajectoryGroup) => unknown;
  const wrong: { what: string; hook: Wrong; says: RegExp }[] = [
    { what: 'no list', hook: () => undefined, says: /undefined/ },
    { what: 'a promise', hook: () => Promise.resolve([]), says: /a promise/ },
    { what: 'something else than groups', hook: () => ['t'], says: /group 0/ },
    {
      what: 'a copy of a trajectory',
      hook: (all) => structuredClone([groupOf(...all)]),
      says: /none of the episodes/,
    },
    {
      what: 'a trajectory twice',
      hook: (_, own) => [own, { ...own, groupId: 'more' }],
      says: /"more".*"all" too/,
    },
    {
      what: 'an empty group',
      hook: (_, own) => [{ ...own, trajectories: [], metadata: [] }],
      says: /without trajectories/,
    },
    {
      what: 'too little metadata',
      hook: (_, own) => [{ ...own, metadata: own.metadata.slice(1) }],
      says: /2 trajectories and 1/,
    },
    { what: 'no metadata', hook: (_, own) => [{ ...own, metadata: undefined }], says: /no origins/ },
    {
      what: 'metadata in another order',
      hook: (_, own) => [{ ...own, metadata: own.metadata.toReversed() }],
      says: /comes from \["t",0\]/,
    },
    { what: 'a group without a role', hook: (_, own) => [{ ...own, role: undefined }], says: /role/ },
  ];
  test.each(wrong)('that returns $what is refused', ({ hook, says }) => {
    const broken = ((all) => hook(all, groupOf(...all))) as GroupingHook;
    expect(() => transform(episodes(), { hook: broken })).toThrow(
      expect.objectContaining({ code: 'GROUPING_HOOK', message: expect.stringMatching(says) }),
    );
  });

  test('that throws is the cause of the error', () => {
    const cause = new Error('no level');
    const hook: GroupingHook = () => {
      throw cause;
    };
    expect(() => transform(episodes(), { hook })).toThrow(
      expect.objectContaining({ code: 'GROUPING_HOOK', cause }),
    );
  });
});
