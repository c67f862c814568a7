import fc from 'fast-check';
import {
  type App,
  collectRewardsAndAdvantages,
  type Episode,
  type RllmConfigInput,
  type TransformResult,
  transformEpisodesToTrajectoryGroups,
} from 'rllm-sdk';
import { episodeOf } from 'rllm-sdk/testing';
import { describe, expect, test } from 'vitest';
import { advantagesOfSteps, appWith } from './support.js';

function grouped({ config, groupingHooks }: App, episodes: readonly Episode[]): TransformResult {
  const { transform, compactFiltering } = config;
  const groupingHook = groupingHooks.get(transform.groupingHook);
  return transformEpisodesToTrajectoryGroups(episodes, { transform, compactFiltering, groupingHook });
}

/** What a hook makes of episodes: role, task ids and rewards of each group. */
async function groupsOf(
  transform: NonNullable<RllmConfigInput['transform']>,
  episodes: readonly Episode[],
): Promise<(readonly [role: string, rollouts: string[], rewards: (number | undefined)[]])[]> {
  await using app = await appWith({ transform });
  return grouped(app, episodes).groups.map(({ role, trajectories, metadata }) => [
    role,
    metadata.map(({ taskId, rolloutIndex }) => `${taskId}/${rolloutIndex}`),
    trajectories.map(({ reward }) => reward),
  ]);
}

function episode(
  taskId: string,
  rolloutIndex: number,
  reward: number,
  more: {
    task?: Record<string, unknown>;
    info?: Record<string, unknown>;
    trajectoryInfo?: Record<string, unknown>;
  } = {},
): Episode {
  const made = episodeOf({ taskId, rolloutIndex, rewards: { solver: reward } });
  if (more.task !== undefined) made.task = more.task;
  Object.assign(made.info, more.info);
  for (const { info } of made.trajectories) Object.assign(info, more.trajectoryInfo);
  return made;
}

describe('by metadata', () => {
  const levels = [
    episode('t1', 0, 1, { task: { level: 1 } }),
    episode('t2', 0, 0, { task: { level: 2 } }),
    episode('t3', 0, 0.5, { task: { level: 1 } }),
  ];

  test('a field of the task joins tasks', async () => {
    const transform = { groupingHook: 'by_metadata', groupingOptions: { by_metadata: { key: 'level' } } };
    expect(await groupsOf(transform, levels)).toEqual([
      ['solver', ['t1/0', 't3/0'], [1, 0.5]],
      ['solver', ['t2/0'], [0]],
    ]);
  });

  test.each(['episode', 'trajectory'] as const)(
    'a field of the %s splits the rollouts of a task',
    async (from) => {
      const key = from === 'episode' ? 'info' : 'trajectoryInfo';
      const branches = [
        episode('t1', 0, 1, { [key]: { branch: 'a' } }),
        episode('t1', 1, 0, { [key]: { branch: 'b' } }),
        episode('t1', 2, 0, { [key]: { branch: 'a' } }),
        episode('t2', 0, 0, { [key]: { branch: 'a' } }),
      ];
      const transform = {
        groupingHook: 'by_metadata',
        groupingOptions: { by_metadata: { key: 'branch', from } },
      };
      expect(await groupsOf(transform, branches)).toEqual([
        ['solver', ['t1/0', 't1/2'], [1, 0]],
        ['solver', ['t1/1'], [0]],
        ['solver', ['t2/0'], [0]],
      ]);
      const across = { by_metadata: { key: 'branch', from, acrossTasks: true } };
      expect(await groupsOf({ groupingHook: 'by_metadata', groupingOptions: across }, branches)).toEqual([
        ['solver', ['t1/0', 't1/2', 't2/0'], [1, 0, 0]],
        ['solver', ['t1/1'], [0]],
      ]);
    },
  );

  test('what every object inherits is no field of a task', async () => {
    const transform = { groupingHook: 'by_metadata', groupingOptions: { by_metadata: { key: 'toString' } } };
    await using app = await appWith({ transform });
    expect(() => grouped(app, [episode('t1', 0, 1, { task: {} })])).toThrow('has no field "toString"');
  });

  test('values are compared as data, and 1 is not "1"', async () => {
    const transform = { groupingHook: 'by_metadata', groupingOptions: { by_metadata: { key: 'v' } } };
    const groups = await groupsOf(transform, [
      episode('t1', 0, 1, { task: { v: { a: 1, b: 2 } } }),
      episode('t2', 0, 1, { task: { v: { b: 2, a: 1 } } }),
      episode('t3', 0, 1, { task: { v: 1 } }),
      episode('t4', 0, 1, { task: { v: '1' } }),
    ]);
    expect(groups.map(([, rollouts]) => rollouts)).toEqual([['t1/0', 't2/0'], ['t3/0'], ['t4/0']]);
  });

  test('a rollout without the field stops the run, or does not train and is counted', async () => {
    const episodes = [episode('t1', 0, 1, { task: {} }), episode('t2', 0, 1, { task: { level: 1 } })];
    const base = { groupingHook: 'by_metadata', groupingOptions: { by_metadata: { key: 'level' } } };
    await using strict = await appWith({ transform: base });
    expect(() => grouped(strict, episodes)).toThrow(
      expect.objectContaining({
        code: 'GROUPING_HOOK',
        message: expect.stringContaining('rollout 0 of task "t1", role "solver", has no field "level"'),
      }),
    );
    const lenient = { by_metadata: { key: 'level', missing: 'leave_out' } } as const;
    await using app = await appWith({ transform: { ...base, groupingOptions: lenient } });
    const { groups, dropped } = grouped(app, episodes);
    expect(groups.map(({ taskId }) => taskId)).toEqual(['t2']);
    expect(dropped).toEqual([
      { reason: 'not_grouped', rollouts: episodes.slice(0, 1), trajectories: episodes[0]?.trajectories },
    ]);
  });
});

describe('hierarchical', () => {
  const transform = {
    groupingHook: 'hierarchical',
    groupingOptions: { hierarchical: { episodeRoles: ['solver'] } },
  };
  const rollout = (rolloutIndex: number, solvers: readonly number[], taskId = 't'): Episode =>
    episodeOf({ taskId, rolloutIndex, rewards: { proposer: rolloutIndex, solver: solvers } });

  test('compares the roles listed within their rollout, and the others within the task', async () => {
    expect(await groupsOf(transform, [rollout(0, [1, 1, 0]), rollout(1, [0, 0, 1])])).toEqual([
      ['proposer', ['t/0', 't/1'], [0, 1]],
      ['solver', ['t/0', 't/0', 't/0'], [1, 1, 0]],
      ['solver', ['t/1', 't/1', 't/1'], [0, 0, 1]],
    ]);
  });

  test('[1, 1, 0] gives [1/3, 1/3, −2/3], whatever the other rollout got', async () => {
    await using app = await appWith({ transform, algorithm: { normAdvByStdInGrpo: false } });
    const { groups } = grouped(app, [rollout(0, [1, 1, 0]), rollout(1, [0, 0, 0])]);
    collectRewardsAndAdvantages(groups, app.config.algorithm, { registry: app.estimators });
    const [, first, second] = advantagesOfSteps(groups).map((group) => group.map(([own]) => Number(own)));
    for (const [i, expected] of [1 / 3, 1 / 3, -2 / 3].entries())
      expect(first?.[i]).toBeCloseTo(expected, 14);
    expect(second).toEqual([0, 0, 0]);
  });
});

describe('by step', () => {
  const rewarded = (taskId: string, rolloutIndex: number, rewards: readonly number[]): Episode => {
    const total = rewards.reduce((sum, reward) => sum + reward, 0);
    const made = episodeOf({ taskId, rolloutIndex, steps: rewards.length, rewards: { solver: total } });
    made.trajectories[0]?.steps.forEach((step, s) => {
      step.reward = rewards[s] ?? 0;
      step.mcReturn = 10 * s;
    });
    return made;
  };
  const episodes = () => [rewarded('t', 0, [0, 1]), rewarded('t', 1, [0, 0, 0])];

  test.each([
    { options: {}, expected: [[1, 0], [1, 0], [0]] },
    { options: { gamma: 0.5 }, expected: [[0.5, 0], [1, 0], [0]] },
    { options: { value: 'step' as const }, expected: [[0, 0], [1, 0], [0]] },
    { options: { value: 'mcReturn' as const }, expected: [[0, 0], [10, 10], [20]] },
  ])('compares steps at one position by what they are worth: $options', async ({ options, expected }) => {
    const groups = await groupsOf(
      { groupingHook: 'by_step', groupingOptions: { by_step: options } },
      episodes(),
    );
    expect(groups.map(([, , rewards]) => rewards)).toEqual(expected);
  });

  test('under grpo gives each step of the rollouts what per_step gives it', async () => {
    const steps = fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 4 });
    await using parts = await appWith({ transform: { groupingHook: 'by_step' } });
    await using whole = await appWith({ algorithm: { estimator: 'per_step' } });
    fc.assert(
      fc.property(fc.array(steps, { minLength: 1, maxLength: 4 }), (rollouts) => {
        const credit = (app: App): number[][] => {
          const own = rollouts.map((rewards, k) => rewarded('t', k, rewards));
          const { groups } = grouped(app, own);
          collectRewardsAndAdvantages(groups, app.config.algorithm, { registry: app.estimators });
          return own.map(({ trajectories }) =>
            (trajectories[0]?.steps ?? []).map(({ advantage }) => Number([advantage].flat()[0])),
          );
        };
        expect(credit(parts)).toEqual(credit(whole));
      }),
    );
  });

  test('leaves a step whose reward is no number to missingReward', async () => {
    const odd = [rewarded('t', 0, [0, 1, 1]), rewarded('t', 1, [0, Number.NaN, 1])];
    for (const { trajectories } of odd) for (const own of trajectories) own.reward = 2;
    const transform = { groupingHook: 'by_step', groupingOptions: { by_step: { value: 'step' } } } as const;
    await using strict = await appWith({ transform });
    const { groups } = grouped(strict, odd);
    const registry = strict.estimators;
    expect(() => collectRewardsAndAdvantages(groups, strict.config.algorithm, { registry })).toThrow(
      expect.objectContaining({ code: 'REWARD_NOT_FINITE', message: expect.stringContaining('rollout 1') }),
    );
    const lenient = { ...strict.config.algorithm, missingReward: 'exclude' } as const;
    const { groups: kept, dropped } = collectRewardsAndAdvantages(groups, lenient, { registry });
    expect(kept.map(({ trajectories }) => trajectories.length)).toEqual([2, 1, 2]);
    expect(dropped.map(({ reason, rollouts }) => [reason, rollouts[0]?.rolloutIndex])).toEqual([
      ['unscored', 1],
    ]);
  });

  test('leaves the trajectories of the episodes as they are', async () => {
    await using app = await appWith({ transform: { groupingHook: 'by_step' } });
    const own = episodes();
    const before = structuredClone(own);
    const { metrics, dropped } = grouped(app, own);
    expect(structuredClone(own)).toEqual(before);
    expect(dropped).toEqual([]);
    expect(metrics).toMatchObject({
      'grouping/num_trajs_before_filter': 2,
      'grouping/num_trajs_after_filter': 5,
    });
  });
});

describe('every hook', () => {
  const hooks: [string, Record<string, unknown>][] = [
    ['by_metadata', { key: 'kind' }],
    ['hierarchical', { episodeRoles: ['solver'] }],
    ['by_step', {}],
  ];
  const of = ([name, options]: (typeof hooks)[number]) => ({
    groupingHook: name,
    groupingOptions: { [name]: options },
  });

  test.each(hooks)('%s keeps apart tasks and roles that a joined text would confuse', async (...hook) => {
    const one = episodeOf({ taskId: 'a:b', rewards: { c: 1 } });
    const other = episodeOf({ taskId: 'a', rewards: { 'b:c': 0 } });
    one.task = { kind: 'x' };
    other.task = { kind: 'x' };
    const groups = await groupsOf(of(hook), [one, other]);
    expect(groups.map(([role]) => role)).toEqual(['c', 'b:c']);
  });

  test.each(hooks.slice(1))(
    '%s keeps apart "gsm8k:12" and "gsm8k:13", and ids of any text',
    async (...hook) => {
      for (const ids of [
        ['gsm8k:12', 'gsm8k:13'],
        ['', ' '],
        ['ä/…', `${'x'.repeat(200)}`],
      ]) {
        const groups = await groupsOf(
          of(hook),
          ids.map((taskId) => episode(taskId, 0, 1)),
        );
        expect(groups.map(([, rollouts]) => rollouts)).toEqual(ids.map((id) => [`${id}/0`]));
      }
    },
  );

  test.each([hooks[0], hooks[2]] as typeof hooks)(
    '%s puts siblings into one group, though each trajectory has an id of its own',
    async (...hook) => {
      const siblings = [1, 0, 1, 0].map((reward, k) => episode('t', k, reward, { task: { kind: 'x' } }));
      expect((await groupsOf(of(hook), siblings)).map(([, , rewards]) => rewards)).toEqual([[1, 0, 1, 0]]);
    },
  );

  test.each(hooks)('%s resolves rewards per trajectory, also where only steps have them', async (...hook) => {
    const mixed = [episode('t', 0, 7, { task: { kind: 'x' } }), episode('t', 0, 0, { task: { kind: 'x' } })];
    const [, second] = mixed.map(({ trajectories }) => trajectories[0]);
    if (second === undefined) throw new Error('no trajectory');
    delete second.reward;
    for (const step of second.steps) step.reward = 3;
    const groups = await groupsOf(of(hook), mixed);
    expect(groups.map(([, , rewards]) => rewards)).toEqual([[7, 3]]);
  });

  test.each(hooks)('%s of no episodes makes no group', async (...hook) => {
    expect(await groupsOf(of(hook), [])).toEqual([]);
  });
});
