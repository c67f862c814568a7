import { describe, expect, test } from 'vitest';
import { RllmError } from '../../src/errors.js';
import type { Logger } from '../../src/logger.js';
import {
  createEpisode,
  type Episode,
  TERMINATION_REASONS,
  type TerminationReason,
} from '../../src/types/index.js';
import {
  type Agent,
  defineWorkflow,
  TerminationEvent,
  type WorkflowFunction,
} from '../../src/workflow/index.js';
import { runOnce, type Setting, scripted } from './run-workflow.js';

const run = (workflow: WorkflowFunction, setting?: Setting): Promise<Episode> =>
  runOnce(defineWorkflow('tested', workflow), setting);

const errorOf = ({ info: { error } }: Episode): unknown => error;

describe('a rollout ends', () => {
  test('as env_done when the workflow returns, unlike rLLM, which says unknown', async () => {
    const episode = await run(async (_, { agent }) => {
      await agent('solver').respond('x');
    });
    expect(episode.terminationReason).toBe('env_done');
  });

  test('as unknown when it has recorded nothing, and one warning says so', async () => {
    const warnings: string[] = [];
    const logger: Logger = { debug() {}, info() {}, error() {}, warn: (text) => warnings.push(text) };
    const episode = await run(async () => {}, { logger });
    expect(episode).toMatchObject({ terminationReason: 'unknown', trajectories: [], isCorrect: false });
    expect(warnings).toEqual([
      '1 of 1 rollouts recorded nothing; the first is rollout 0 of task "t": no agent made a step and nothing was committed',
    ]);
  });

  test.each(TERMINATION_REASONS)(
    'as %s when the workflow terminates so, with what was recorded',
    async (reason) => {
      const episode = await run(async (_, { agent, terminate }) => {
        const solver = agent('solver');
        await solver.respond('x');
        solver.reward(1);
        terminate(reason);
      });
      expect(episode).toMatchObject({
        terminationReason: reason,
        isCorrect: true,
        metrics: { solver_acc: 1 },
      });
    },
  );

  test('as the event of another copy of the SDK says', async () => {
    const foreign = Object.assign(new Error('ended'), {
      reason: 'max_turns_exceeded',
      [Symbol.for('rllm.termination')]: true,
    });
    expect(TerminationEvent.isInstance(foreign)).toBe(true);
    const episode = await run(async () => {
      throw foreign;
    });
    expect(episode.terminationReason).toBe('max_turns_exceeded');
  });

  test('as an error when the reason is none of the list', async () => {
    const episode = await run(async (_, { terminate }) => terminate('env_don' as TerminationReason));
    expect(errorOf(episode)).toMatchObject({
      code: 'WORKFLOW_FAILED',
      message: expect.stringContaining('Did you mean "env_done"?'),
    });
  });

  test('as max_prompt_length_exceeded when the engine has no room left', async () => {
    const full = scripted(({ messages }) => {
      if (messages.length < 3) return 'x';
      throw new RllmError('PROMPT_TOO_LONG', 'no room');
    });
    const episode = await run(
      async (_, { agent }) => {
        const solver = agent('solver');
        for (;;) await solver.respond('more');
      },
      { rolloutEngine: full },
    );
    expect(episode.terminationReason).toBe('max_prompt_length_exceeded');
    expect(episode.trajectories[0]?.steps).toHaveLength(1);
    expect('error' in episode.info).toBe(false);
  });

  test('as error otherwise: message, stack, code and cause stay in the episode, as plain JSON', async () => {
    const episode = await run(async (_, { agent }) => {
      await agent('solver').respond('x');
      throw Object.assign(new TypeError('no such tool', { cause: 'typo' }), { code: 'E_TOOL' });
    });
    expect(episode).toMatchObject({ terminationReason: 'error', trajectories: [{ name: 'solver' }] });
    expect(errorOf(episode)).toMatchObject({
      name: 'TypeError',
      message: 'no such tool',
      stack: expect.stringContaining('termination.test.ts'),
      code: 'E_TOOL',
      cause: { name: 'string', message: 'typo' },
    });
    expect(JSON.parse(JSON.stringify(episode))).toStrictEqual(episode);
  });

  test.each<[unknown, { name: string; message: string }]>([
    ['text', { name: 'string', message: 'text' }],
    [undefined, { name: 'undefined', message: 'undefined' }],
    [{ status: 429 }, { name: 'object', message: '{"status":429}' }],
    [Object.create(null), { name: 'object', message: '{}' }],
  ])('as error whatever is thrown: %j', async (thrown, error) => {
    const episode = await run(async () => {
      throw thrown;
    });
    expect(errorOf(episode)).toStrictEqual(error);
  });

  test('as error of the model call when the engine fails, with the cause', async () => {
    const broken = scripted(() => {
      throw new Error('connection reset');
    });
    const episode = await run(
      async (_, { agent }) => {
        await agent('solver').respond('x');
      },
      { rolloutEngine: broken },
    );
    expect(errorOf(episode)).toMatchObject({
      code: 'ROLLOUT_FAILED',
      message: 'A model call of rollout 0 of task "t" failed: connection reset',
      cause: { message: 'connection reset' },
    });
  });

  test('as error when what was recorded refers to itself', async () => {
    const episode = await run(async (_, { agent }) => {
      const solver = agent('solver');
      await solver.respond('x');
      const info: Record<string, unknown> = {};
      Object.assign(solver.trajectory.info, { info: Object.assign(info, { info }) });
    });
    expect(episode).toMatchObject({
      terminationReason: 'error',
      info: { error: { code: 'STEP_MALFORMED' } },
    });
  });

  test.each<[string, string, (solver: Agent) => void]>([
    ['a step', 'reward of a step of "solver"', (solver) => solver.reward(untyped(1n))],
    ['a step', 'reward of a step of "solver"', (solver) => solver.reward(untyped('1'))],
    ['parts', 'part "form" of the reward', (solver) => solver.reward(1, { form: untyped(1n) })],
    [
      'a trajectory',
      'reward of the trajectory',
      ({ trajectory }) => Object.assign(trajectory, { reward: 1n }),
    ],
  ])('as error when the reward of %s is no number', async (_, message, give) => {
    const episode = await run(async (_task, { agent, metric }) => {
      const solver = agent('solver');
      await solver.respond('x');
      metric('tries', 1);
      give(solver);
    });
    expect(episode).toMatchObject({ terminationReason: 'error', metrics: { tries: 1 }, trajectories: [] });
    expect(errorOf(episode)).toMatchObject({
      code: 'WORKFLOW_FAILED',
      message: expect.stringContaining(message),
    });
  });

  test.each<[string, Partial<Episode>]>([
    ['a metric', { metrics: { size: untyped(1n) } }],
    ['a metric rule', { metrics: { size: 1 }, metricRules: { size: untyped('toString') } }],
    ['a trajectory', { trajectories: [untyped({ name: 'solver', steps: [null] })] }],
    [
      'a step',
      {
        trajectories: [
          untyped({ name: 'solver', steps: [{ promptIds: [], responseIds: [], logprobs: [] }] }),
        ],
      },
    ],
  ])('as error when %s of a returned episode is none', async (_, wrong) => {
    const episode = await run(async (_task, { agent, taskId, rolloutIndex }) => {
      await agent('solver').respond('x');
      return createEpisode({ taskId, rolloutIndex, ...wrong });
    });
    expect(episode).toMatchObject({ terminationReason: 'error', trajectories: [{ name: 'solver' }] });
    expect(episode.trajectories[0]?.steps).toHaveLength(1);
  });

  test('as error when what was committed is no trajectory inside', async () => {
    const step = { promptIds: [], responseIds: [], logprobs: [], reward: 0 };
    const episode = await run(async (_, { commit }) => commit(untyped({ name: 'solver', steps: [step] })));
    expect(episode).toMatchObject({ terminationReason: 'error', trajectories: [] });
  });

  test('as error when reading what was thrown throws', async () => {
    const episode = await run(async () => {
      throw new Proxy(new Error('boom'), {
        get: () => {
          throw new Error('hands off');
        },
      });
    });
    expect(episode.terminationReason).toBe('error');
    expect(JSON.parse(JSON.stringify(episode))).toStrictEqual(episode);
  });
});

/** What a workflow written without types may give. */
function untyped(value: unknown): never {
  return value as never;
}
