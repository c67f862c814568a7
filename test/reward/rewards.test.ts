import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { configFromCode, type RllmConfigInput } from '../../src/config/index.js';
import { type AppOptions, createApp, inject, LOGGER } from '../../src/container/index.js';
import type { Logger } from '../../src/logger.js';
import { definePlugin, type PluginDefinition } from '../../src/plugin-host/index.js';
import { RewardFunction, type RewardInput } from '../../src/reward/index.js';
import { createEpisode, createTrajectory, type Episode } from '../../src/types/index.js';
import { defineWorkflow, type WorkflowContext } from '../../src/workflow/index.js';
import { errorOf, inMemory, memoryPlugin, TRAINS } from '../container/app-kit.js';

/** Two roles: the solver says two words and gets 3 and a part of its own, the judge says one and gets nothing. */
const solverAndJudge = defineWorkflow('solver-and-judge', async (_, context) => {
  await turn(context, 'solver', 2);
  await turn(context, 'judge', 1);
});

async function turn(context: WorkflowContext, role: string, turns: number): Promise<void> {
  const agent = context.agent(role);
  for (let i = 0; i < turns; i++) await agent.respond('Say yes.');
  if (role === 'solver') agent.reward(3, { own: 0.5, half: 9 });
}

const half = RewardFunction('half', { summary: 'always a half' })(() => 0.5);

@RewardFunction('turns', { options: z.strictObject({ each: z.number().default(1) }) })
class Turns {
  static readonly inject = [LOGGER] as const;
  readonly #logger: Logger;

  constructor(@inject(LOGGER) logger: Logger) {
    this.#logger = logger;
  }

  async score({ trajectory, options }: RewardInput<{ readonly each: number }>): Promise<number> {
    this.#logger.debug('scored');
    return trajectory.steps.length * options.each;
  }
}

// biome-ignore lint/complexity/noStaticOnlyClass: a static method is what is tested.
class Scores {
  @RewardFunction('asked')
  static asked({ task }: RewardInput): number {
    return String(task['question']).length;
  }
}

const plugin: PluginDefinition = definePlugin({ name: 'scores', apiVersion: 1, rewards: [half, Turns] });

/** The episode of one rollout on the first task. */
async function rollOut(
  reward: NonNullable<RllmConfigInput['reward']>,
  more: AppOptions = {},
  config: RllmConfigInput = {},
): Promise<Episode> {
  const plugins = [memoryPlugin({ policy: () => 'yes' }), plugin, ...(more.plugins ?? [])];
  const options = inMemory({ workflow: solverAndJudge, ...more, plugins });
  const workflow = { retryLimit: 1, ...config.workflow };
  await using app = await createApp(configFromCode({ ...TRAINS, ...config, workflow, reward }), options);
  const { episode } = await (await app.trainer()).dryRun();
  return episode;
}

const rewardsOf = ({ trajectories }: Episode): unknown[] =>
  trajectories.map(({ name, reward, rewards }) => ({ name, reward, rewards }));

const throwing = (name: string, score: (input: RewardInput) => number | Promise<number>): PluginDefinition =>
  definePlugin({ name: 'bad', apiVersion: 1, version: '2.0.0', rewards: [RewardFunction(name)(score)] });

describe('reward functions', () => {
  test('give each trajectory the weighted sum, and each score under its name in the order of the config', async () => {
    const functions = [
      { use: 'workflow' },
      { use: 'turns', name: 'calls', weight: -0.25, options: { each: 2 } },
      'half',
      { use: 'length', weight: 0 },
    ];
    const episode = await rollOut({ functions });
    // Two tokens a turn: the word and the end. 3 − 0.25·4 + 0.5 and 0 − 0.25·2 + 0.5; the part "half" of the workflow gives way.
    expect(rewardsOf(episode)).toEqual([
      { name: 'solver', reward: 2.5, rewards: { own: 0.5, workflow: 3, calls: 4, half: 0.5, length: 4 } },
      { name: 'judge', reward: 0, rewards: { workflow: 0, calls: 2, half: 0.5, length: 2 } },
    ]);
    expect(Object.keys(episode.trajectories[0]?.rewards ?? {})).toEqual([
      'own',
      'workflow',
      'calls',
      'half',
      'length',
    ]);
  });

  test('leave a role that none of them covers as it was', async () => {
    const episode = await rollOut({ functions: [{ use: 'half', roles: ['judge'] }] });
    expect(rewardsOf(episode)).toEqual([
      { name: 'solver', reward: 3, rewards: { own: 0.5, half: 9 } },
      { name: 'judge', reward: 0.5, rewards: { half: 0.5 } },
    ]);
  });

  test('decide whether the episode is correct where the workflow does not say', async () => {
    const functions = [{ use: 'half', weight: -1 }];
    expect((await rollOut({ functions })).isCorrect).toBe(false);
    expect((await rollOut({ functions: ['half'] })).isCorrect).toBe(true);
    const says = defineWorkflow('says', async (_, { taskId, rolloutIndex }) =>
      createEpisode({
        taskId,
        rolloutIndex,
        isCorrect: true,
        trajectories: [createTrajectory({ name: 'a' })],
      }),
    );
    const episode = await rollOut({ functions: [...functions, 'solved'] }, { workflow: says });
    expect(episode).toMatchObject({
      isCorrect: true,
      trajectories: [{ reward: 0.5, rewards: { solved: 1 } }],
    });
  });

  test('come as class, static method and plain function, each declared by its decorator', async () => {
    const program = definePlugin({ name: 'more', apiVersion: 1, setup: () => {} });
    const app = await createApp({}, { plugins: [program], workflow: solverAndJudge, run: null });
    expect(app.rewards.list().map(({ name, owner }) => `${name} of ${owner}`)).toEqual([
      'workflow of built-in',
      'length of built-in',
      'solved of built-in',
      'half of program',
      'turns of program',
      'asked of program',
    ]);
    expect(app.rewards.get('asked').score({ task: { question: 'why?' } } as never)).toBe(4);
    expect(Scores.asked).toBeTypeOf('function');
    await app.dispose();
  });

  test('see a copy, so that nothing they do reaches the episode or each other', async () => {
    const vandal = throwing('vandal', ({ episode, trajectory, task }) => {
      const { steps } = trajectory;
      steps.length = 0;
      Object.assign(trajectory, { name: 'gone', rewards: { x: 1 } });
      episode.trajectories.pop();
      Object.assign(task, { question: '' });
      return 1;
    });
    const functions = [{ use: 'vandal', weight: 0 }, 'turns'];
    const episode = await rollOut({ functions }, { plugins: [vandal] });
    expect(episode.task).toEqual({ question: 'Is it so?' });
    expect(episode.trajectories.map(({ name, steps, reward }) => [name, steps.length, reward])).toEqual([
      ['solver', 2, 2],
      ['judge', 1, 1],
    ]);
  });

  test('are not asked about a rollout that ended by an error', async () => {
    let asked = 0;
    const counting = throwing('counting', () => asked++);
    const fails = defineWorkflow('fails', async (_, context) => {
      await turn(context, 'solver', 1);
      throw new Error('no');
    });
    const config = { workflow: { raiseOnError: false } };
    const options = { workflow: fails, plugins: [counting] };
    const episode = await rollOut({ functions: ['counting'] }, options, config);
    expect([episode.terminationReason, episode.trajectories[0]?.reward, asked]).toEqual(['error', 3, 0]);
  });

  test('are under the deadline of the attempt, and are told by their signal', async () => {
    let aborted = false;
    const slow = throwing('slow', ({ signal }) => {
      return new Promise<number>(() => signal.addEventListener('abort', () => (aborted = true)));
    });
    const config = { workflow: { timeoutMs: 20 } };
    const episode = await rollOut({ functions: ['slow'] }, { plugins: [slow] }, config);
    expect([episode.terminationReason, aborted]).toEqual(['timeout', true]);
    expect(episode.trajectories.map(({ reward }) => reward)).toEqual([3, 0]);
  });

  test('may be tried again with the attempt', async () => {
    let tries = 0;
    const flaky = throwing('flaky', () => {
      tries++;
      if (tries === 1) throw new Error('busy');
      return 1;
    });
    const config = { workflow: { retryLimit: 2, retryBackoffMs: 0 } };
    const functions = [{ use: 'flaky', roles: ['judge'] }];
    const episode = await rollOut({ functions }, { plugins: [flaky] }, config);
    expect(episode.info['failedAttempts']).toMatchObject([{ attempt: 1, error: { code: 'REWARD_FAILED' } }]);
    expect(episode.trajectories[1]?.reward).toBe(1);
  });

  test.each<{ what: string; score: (input: RewardInput) => number; code: string; says: string }>([
    {
      what: 'throws',
      score: () => {
        throw new Error('boom');
      },
      code: 'REWARD_FAILED',
      says: 'The reward function "bad" of bad@2.0.0 threw for role "solver": boom',
    },
    {
      what: 'gives no number',
      score: () => 'x' as never,
      code: 'REWARD_NOT_FINITE',
      says: 'The reward function "bad" of bad@2.0.0 must give a finite number, and gave a value of type string',
    },
    {
      what: 'gives NaN',
      score: () => Number.NaN,
      code: 'REWARD_NOT_FINITE',
      says: 'and gave NaN for role "solver"',
    },
    {
      what: 'gives more than a number can hold',
      score: () => Number.MAX_VALUE,
      code: 'REWARD_NOT_FINITE',
      says: 'The weighted sum of the rewards of role "solver" is Infinity',
    },
  ])('one that $what fails the rollout, told with its name', async ({ score, code, says }) => {
    const functions = [{ use: 'bad', weight: 2 }];
    await expect(rollOut({ functions }, { plugins: [throwing('bad', score)] })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(says),
    });
  });

  test('the reward of the workflow is missed where it gave neither a reward nor a step', async () => {
    const empty = defineWorkflow('empty', async (_, context) => {
      context.commit(createTrajectory({ name: 'idle' }), { allowEmpty: true });
    });
    const error = await errorOf(rollOut({ functions: ['workflow'] }, { workflow: empty }));
    expect(error.code).toBe('REWARD_MISSING');
  });

  test('satisfy an estimator that compares parts of rewards', async () => {
    const seen: unknown[] = [];
    const { AdvEstimator } = await import('../../src/advantage/index.js');
    const byParts = AdvEstimator('by_parts', { requires: ['rewardComponents'] })((batch) => {
      seen.push(batch.groups.flatMap(({ trajectories }) => trajectories.map(({ rewards }) => rewards)));
      return { advantages: batch.rewards };
    });
    const plugins = [definePlugin({ name: 'parts', apiVersion: 1, estimators: [byParts] })];
    const algorithm = { estimatorMap: { judge: 'by_parts' } };
    await rollOut({ functions: ['half'] }, { plugins }, { algorithm });
    expect(seen).toEqual([[{ half: 0.5 }]]);
  });
});

describe('reward.functions at start', () => {
  const faultsOf = async (functions: readonly unknown[]): Promise<readonly unknown[]> => {
    const config = configFromCode({ ...TRAINS, reward: { functions } }, { onFault: 'collect' });
    const error = await errorOf(createApp(config, inMemory({ plugins: [memoryPlugin(), plugin] })));
    return error.details['faults'] as readonly unknown[];
  };

  test('a name that nothing has is refused with the nearest, options by the schema, all at once', async () => {
    const functions = [
      'haff',
      { use: 'turns', options: { each: 'x', other: 1 } },
      { use: 'half', options: { a: 1 } },
    ];
    expect(await faultsOf(functions)).toMatchObject([
      { path: 'reward.functions[0].use', nearest: 'half' },
      { path: 'reward.functions[1].options.each' },
      { path: 'reward.functions[1].options' },
      { path: 'reward.functions[2].options.a', message: 'this reward function takes no options' },
    ]);
  });

  test('two of one name are refused, and a name makes them two', async () => {
    expect(await faultsOf(['half', { use: 'turns', name: 'half' }])).toMatchObject([
      { path: 'reward.functions.1.name', message: expect.stringContaining('reward.functions[0]') },
    ]);
    expect(await faultsOf(['half', 'half', { use: 'half', name: 'x', roles: [] }])).toMatchObject([
      { path: 'reward.functions.1.use' },
      { path: 'reward.functions.2.roles' },
    ]);
  });
});
