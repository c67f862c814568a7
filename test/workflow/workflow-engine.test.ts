import { describe, expect, test } from 'vitest';
import { RllmError } from '../../src/errors.js';
import type { CallIdentity, ModelCall, RolloutEngine } from '../../src/rollout/index.js';
import { fakeClock } from '../../src/testing/index.js';
import type { Episode } from '../../src/types/index.js';
import { defineWorkflow, type WorkflowFunction } from '../../src/workflow/index.js';
import { echo, engineFor, requests, scripted, settle } from './run-workflow.js';

const TRAIN = { mode: 'train', step: 1 } as const;

const speak = defineWorkflow('speak', async (_, { agent, rolloutIndex }) => {
  const solver = agent('solver');
  await solver.respond(`word ${rolloutIndex}`);
  solver.reward(1);
});

const failing = (
  fails: (attempt: number, rolloutIndex: number) => boolean,
): ReturnType<typeof defineWorkflow> =>
  defineWorkflow('failing', async (_, { agent, attempt, rolloutIndex, metric }) => {
    metric('tried', attempt);
    await agent('solver').respond('x');
    if (fails(attempt, rolloutIndex)) throw new Error(`merge ${attempt}`);
  });

const hanging = defineWorkflow('hanging', async (_, { agent }) => {
  await agent('solver').respond('x');
  await new Promise(() => {});
});

async function failureOf(promise: Promise<unknown>): Promise<RllmError> {
  try {
    await promise;
  } catch (thrown) {
    if (RllmError.isInstance(thrown)) return thrown;
    throw thrown;
  }
  throw new Error('it did not fail');
}

describe('executeTasks', () => {
  test('returns episodes in the order of the requests, whichever ends first', async () => {
    const lastFirst = scripted(async ({ identity }) => {
      for (let i = identity.rolloutIndex; i < 5; i++) await settle();
      return 'x';
    });
    const order: number[] = [];
    const episodes = await engineFor(speak, { rolloutEngine: lastFirst }).executeTasks(requests(5), {
      ...TRAIN,
      onEpisode: ({ rolloutIndex }) => {
        order.push(rolloutIndex);
      },
    });
    expect(order).toEqual([4, 3, 2, 1, 0]);
    expect(episodes.map(({ rolloutIndex }) => rolloutIndex)).toEqual([0, 1, 2, 3, 4]);
  });

  test('runs at most nParallelTasks at once, over all calls of one engine', async () => {
    let running = 0;
    let most = 0;
    const workflow = defineWorkflow('counted', async () => {
      running++;
      most = Math.max(most, running);
      await settle();
      running--;
    });
    const engine = engineFor(workflow, { config: { nParallelTasks: 3 } });
    await Promise.all([engine.executeTasks(requests(7), TRAIN), engine.executeTasks(requests(7), TRAIN)]);
    expect(most).toBe(3);
  });

  test('tells each episode once, with how many have ended', async () => {
    const told: [number, number][] = [];
    const onEpisode = async (_: Episode, done: number, total: number): Promise<void> => {
      told.push([done, total]);
    };
    await engineFor(speak).executeTasks(requests(3), { ...TRAIN, onEpisode });
    expect(told).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  test('fails with what onEpisode throws', async () => {
    const onEpisode = (): void => {
      throw new Error('hook');
    };
    await expect(engineFor(speak).executeTasks(requests(3), { ...TRAIN, onEpisode })).rejects.toThrow('hook');
  });

  test('of nothing gives nothing', async () => {
    expect(await engineFor(speak).executeTasks([], TRAIN)).toEqual([]);
  });

  test('refuses to run one rollout twice, which would give the same samples twice', async () => {
    const twice = [...requests(2), ...requests(1)];
    expect((await failureOf(engineFor(speak).executeTasks(twice, TRAIN))).code).toBe('DATASET_INVALID');
  });

  test('gives each rollout a task of its own to change', async () => {
    const workflow = defineWorkflow('eats', async (task, { agent }) => {
      const { left } = task as { left: string[] };
      await agent('eater').respond(left.pop() ?? 'nothing');
    });
    const task = { left: ['apple'] };
    const episodes = await engineFor(workflow).executeTasks(requests(3, task), TRAIN);
    expect(episodes.map(({ trajectories }) => trajectories[0]?.steps[0]?.modelResponse)).toEqual([
      'apple',
      'apple',
      'apple',
    ]);
    expect(episodes[0]?.task).toEqual({ left: ['apple'] });
  });

  test('keeps the data source of a request', async () => {
    const [episode] = await engineFor(speak).executeTasks(
      [{ taskId: 't', rolloutIndex: 0, task: {}, dataSource: 'gsm8k' }],
      TRAIN,
    );
    expect(episode?.info).toEqual({ dataSource: 'gsm8k', attempts: 1 });
  });
});

describe('a model call that cannot be meant', () => {
  type Untyped = (context: {
    // biome-ignore lint/suspicious/noExplicitAny: a workflow without types.
    readonly [method: string]: any;
  }) => Promise<unknown>;

  test.each<[string, Untyped, string]>([
    [
      'a text that is missing',
      ({ agent }) => agent('a').respond(undefined),
      'its message 0 needs a role (system, user, assistant, tool) and a content, a text; got undefined.',
    ],
    [
      'a message of an unknown role',
      ({ agent }) => agent('a').respond(['ask'].map((content) => ({ role: 'usr', content }))),
      'its message 0 needs a role (system, user, assistant, tool) and a content, a text; got role "usr" and content "ask".',
    ],
    [
      'a message without content',
      ({ agent }) => agent('a', [{ role: 'system' }]).respond('ask'),
      'got role "system" and content undefined.',
    ],
    ['a text for messages', ({ model }) => model('ask'), 'its messages must be a list, got "ask".'],
    [
      'a text for the first messages',
      async ({ agent }) => agent('a', 'be brief'),
      'The agent "a" begins with a list of messages; got "be brief".',
    ],
    [
      'a misspelt setting',
      ({ agent }) => agent('a').respond('ask', { maxToken: 1 }),
      'in its sampling maxToken is nothing that it takes. Did you mean "maxTokens"?',
    ],
    [
      'settings that there cannot be',
      ({ agent }) => agent('a').respond('ask', { temperature: -1, topP: 0, maxTokens: '9' }),
      'in its sampling temperature must be a number of at least 0, got -1. topP must be a number above 0 and at most 1, got 0. maxTokens must be a whole number of at least 1, got "9".',
    ],
    [
      'a text to stop at, without a list',
      ({ model }) => model([{ role: 'user', content: 'ask' }], { stop: '.' }),
      'in its sampling stop must be a list, got ".".',
    ],
    [
      'a tool in the shape of another API',
      ({ agent }) => agent('a').respond('ask', { tools: [{ type: 'function', function: { name: 'add' } }] }),
      'in its sampling tools has one that must be an object with a name and parameters, got an object.',
    ],
  ])('%s is told by what it is, and not made', async (_, call, message) => {
    let calls = 0;
    const rolloutEngine = scripted(() => String(calls++));
    const workflow = defineWorkflow('untyped', async (_task, context) => {
      await call(context as never);
    });
    const [episode] = await engineFor(workflow, { rolloutEngine }).executeTasks(requests(1), TRAIN);
    expect(episode?.info).toMatchObject({ error: { message: expect.stringContaining(message) } });
    expect(calls).toBe(0);
  });
});

describe('a failing rollout', () => {
  test('costs no other one: 1 of 500 throws, 499 stay, and its text and stack are kept', async () => {
    const workflow = failing((_, rolloutIndex) => rolloutIndex === 321);
    const episodes = await engineFor(workflow).executeTasks(requests(500), TRAIN);
    expect(episodes.filter(({ terminationReason }) => terminationReason === 'env_done')).toHaveLength(499);
    expect(episodes[321]).toMatchObject({
      terminationReason: 'error',
      info: { error: { message: 'merge 1', stack: expect.stringContaining('workflow-engine.test.ts') } },
    });
  });

  test('is tried again until it succeeds, and the failed attempts stay visible', async () => {
    const clock = fakeClock();
    const engine = engineFor(
      failing((attempt) => attempt < 3),
      { config: { retryLimit: 5 }, clock },
    );
    const running = engine.executeTasks(requests(1), TRAIN);
    for (let attempt = 1; attempt < 3; attempt++) {
      await settle();
      clock.advance(1);
    }
    const [episode] = await running;
    expect(episode).toMatchObject({
      terminationReason: 'env_done',
      metrics: { tried: 3 },
      info: {
        attempts: 3,
        failedAttempts: [
          { attempt: 1, terminationReason: 'error', metrics: { tried: 1 }, error: { message: 'merge 1' } },
          { attempt: 2, terminationReason: 'error', metrics: { tried: 2 }, error: { message: 'merge 2' } },
        ],
      },
    });
    expect(episode?.trajectories).toHaveLength(1);
  });

  test('waits twice as long before each attempt, with jitter that the seed and its identity decide', async () => {
    const delaysOf = async (seed: number): Promise<readonly number[]> => {
      const clock = fakeClock();
      const config = { retryLimit: 5, retryBackoffMs: 100 };
      const running = engineFor(
        failing(() => true),
        { config, clock, seed },
      ).executeTasks(requests(1), TRAIN);
      for (let attempt = 1; attempt < 5; attempt++) {
        await settle();
        clock.advance(10_000);
      }
      await running;
      return clock.delays;
    };
    const delays = await delaysOf(1);
    expect(delays).toHaveLength(4);
    delays.forEach((delay, i) => {
      expect(delay).toBeGreaterThanOrEqual(100 * 2 ** i * 0.5);
      expect(delay).toBeLessThan(100 * 2 ** i * 1.5);
    });
    expect(await delaysOf(1)).toEqual(delays);
    expect(await delaysOf(2)).not.toEqual(delays);
  });

  test.each([
    { reason: 'error', retryOn: ['timeout'], attempts: 1 },
    { reason: 'error', retryOn: ['error'], attempts: 3 },
    { reason: 'max_turns_exceeded', retryOn: ['error', 'timeout'], attempts: 1 },
  ] as const)(
    'ended as $reason is tried $attempts times with retryOn $retryOn',
    async ({ reason, retryOn, attempts }) => {
      const clock = fakeClock();
      const workflow = defineWorkflow('ends', async (_, { terminate }) => terminate(reason));
      const running = engineFor(workflow, { config: { retryLimit: 3, retryOn }, clock }).executeTasks(
        requests(1),
        TRAIN,
      );
      for (let i = 0; i < 3; i++) {
        await settle();
        clock.advance(1);
      }
      expect((await running)[0]?.info).toMatchObject({ attempts });
    },
  );

  test('stops the run with raiseOnError: those that run end, no other starts, what ended is handed over', async () => {
    const started: number[] = [];
    const workflow: WorkflowFunction = async (_, { agent, rolloutIndex }) => {
      started.push(rolloutIndex);
      if (rolloutIndex === 1) throw new Error('merge');
      await settle();
      await agent('solver').respond('x');
    };
    const config = { raiseOnError: true, nParallelTasks: 3 };
    const engine = engineFor(defineWorkflow('raises', workflow), { config });
    const error = await failureOf(engine.executeTasks(requests(9), TRAIN));
    expect(error).toMatchObject({
      code: 'WORKFLOW_FAILED',
      message: 'The workflow "raises" failed in rollout 1 of task "t", at its only attempt: merge',
      cause: { message: 'merge' },
      details: { taskId: 't', rolloutIndex: 1, attempts: 1 },
    });
    expect(started).toEqual([0, 1, 2]);
    const { episodes } = error.details;
    expect((episodes as Episode[]).map(({ rolloutIndex }) => rolloutIndex)).toEqual([0, 1, 2]);
  });
});

describe('the deadline', () => {
  test('ends a rollout that ignores its signal, with what it has recorded', async () => {
    const clock = fakeClock();
    const running = engineFor(hanging, { config: { timeoutMs: 100 }, clock }).executeTasks(
      requests(2),
      TRAIN,
    );
    await settle();
    clock.advance(100);
    const episodes = await running;
    expect(episodes).toMatchObject([
      { terminationReason: 'timeout', trajectories: [{ name: 'solver' }] },
      { terminationReason: 'timeout', trajectories: [{ name: 'solver' }] },
    ]);
  });

  test('aborts the signal of that rollout alone', async () => {
    const clock = fakeClock();
    const signals: AbortSignal[] = [];
    const workflow = defineWorkflow('waits', async (_, { signal, rolloutIndex }) => {
      signals.push(signal);
      if (rolloutIndex === 1) await new Promise(() => {});
    });
    const running = engineFor(workflow, { config: { timeoutMs: 100 }, clock }).executeTasks(
      requests(2),
      TRAIN,
    );
    await settle();
    clock.advance(100);
    await running;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    expect(signals[1]?.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('lets nothing in afterwards: late commits, metrics and steps do not touch the episode', async () => {
    const clock = fakeClock();
    const late: unknown[] = [];
    let goOn = (): void => {};
    const workflow = defineWorkflow('late', async (_, { agent, commit, metric }) => {
      const solver = agent('solver');
      await solver.respond('in time');
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      solver.reward(5);
      solver.trajectory.steps.pop();
      commit({ ...solver.trajectory, uid: 'other' }, { allowEmpty: true });
      metric('late', 1);
      await solver.respond('late').catch((thrown: unknown) => late.push(thrown));
    });
    const running = engineFor(workflow, { config: { timeoutMs: 100 }, clock }).executeTasks(
      requests(1),
      TRAIN,
    );
    await settle();
    clock.advance(100);
    const [episode] = await running;
    const before = JSON.stringify(episode);
    goOn();
    await settle();
    expect(JSON.stringify(episode)).toBe(before);
    expect(episode?.trajectories).toMatchObject([{ reward: 0, steps: [{ modelResponse: 'in time' }] }]);
    expect(late).toMatchObject([{ code: 'ABORTED' }]);
  });

  test('is tried again where the policy says so, and each attempt has its own', async () => {
    const clock = fakeClock();
    const workflow = defineWorkflow('slow once', async (_, { agent, attempt }) => {
      await agent('solver').respond('x');
      if (attempt === 1) await new Promise(() => {});
    });
    const config = { timeoutMs: 100, retryLimit: 2, retryOn: ['timeout'] } as const;
    const running = engineFor(workflow, { config, clock }).executeTasks(requests(1), TRAIN);
    for (let i = 0; i < 2; i++) {
      await settle();
      clock.advance(100);
    }
    expect(await running).toMatchObject([
      {
        terminationReason: 'env_done',
        info: { attempts: 2, failedAttempts: [{ attempt: 1, terminationReason: 'timeout' }] },
      },
    ]);
  });

  test('leaves no timer behind', async () => {
    const clock = fakeClock();
    await engineFor(speak, { config: { timeoutMs: 100 }, clock }).executeTasks(requests(5), TRAIN);
    expect(clock.delays).toHaveLength(5);
    expect(clock.pending).toBe(0);
  });
});

describe('stopping', () => {
  test('by the signal rejects at once, though the workflows hang', async () => {
    const controller = new AbortController();
    const running = engineFor(hanging).executeTasks(requests(20), { ...TRAIN, signal: controller.signal });
    await settle();
    controller.abort(new Error('Ctrl-C'));
    const error = await failureOf(running);
    expect(error).toMatchObject({
      code: 'ABORTED',
      message: 'The rollouts were stopped; 0 of 20 had ended.',
      cause: { message: 'Ctrl-C' },
    });
  });

  test('by a signal that has fired already starts nothing', async () => {
    let started = 0;
    const workflow = defineWorkflow('counted', async () => {
      started++;
    });
    const settings = { ...TRAIN, signal: AbortSignal.abort() };
    expect((await failureOf(engineFor(workflow).executeTasks(requests(3), settings))).code).toBe('ABORTED');
    await settle();
    expect(started).toBe(0);
  });

  test('reaches the workflow and its model calls as a signal', async () => {
    const controller = new AbortController();
    const seen: (AbortSignal | undefined)[] = [];
    const rolloutEngine: RolloutEngine = {
      getModelResponse: (call: ModelCall) => {
        seen.push(call.signal);
        return new Promise(() => {});
      },
    };
    const workflow = defineWorkflow('asks', async (_, { agent, signal }) => {
      seen.push(signal);
      await agent('solver').respond('x');
    });
    const engine = engineFor(workflow, { rolloutEngine });
    const running = engine.executeTasks(requests(1), { ...TRAIN, signal: controller.signal });
    await settle();
    controller.abort();
    await failureOf(running);
    expect(seen.map((signal) => signal?.aborted)).toEqual([true, true]);
  });

  test('during the pause before a retry tries nothing again', async () => {
    const clock = fakeClock();
    let attempts = 0;
    const workflow = defineWorkflow('fails', async () => {
      attempts++;
      throw new Error('merge');
    });
    const engine = engineFor(workflow, { config: { retryLimit: 5 }, clock });
    const running = failureOf(engine.executeTasks(requests(1), TRAIN));
    await settle();
    await engine.shutdown();
    expect((await running).code).toBe('ABORTED');
    clock.advance(1_000);
    await settle();
    expect(attempts).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test('by shutdown refuses further tasks, and may be asked for twice', async () => {
    const engine = engineFor(speak);
    await engine.shutdown();
    await engine.shutdown();
    expect((await failureOf(engine.executeTasks(requests(1), TRAIN))).code).toBe('ABORTED');
  });

  test('frees its places for what comes next', async () => {
    const controller = new AbortController();
    const engine = engineFor(
      defineWorkflow('hangs on 0', async ({ hang }, { agent }) => {
        if (hang === true) await new Promise(() => {});
        await agent('solver').respond('x');
      }),
      { config: { nParallelTasks: 2 } },
    );
    const hung = engine.executeTasks(requests(5, { hang: true }), { ...TRAIN, signal: controller.signal });
    await settle();
    controller.abort();
    await failureOf(hung);
    expect(await engine.executeTasks(requests(3), TRAIN)).toHaveLength(3);
  });
});

describe('identity', () => {
  const team = defineWorkflow('team', async (_, { agent, model }) => {
    const [a, b] = [agent('a'), agent('b')];
    const talk = async (one: typeof a): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) await one.respond(`${turn}`);
    };
    await Promise.all([talk(a), talk(b)]);
    await model([{ role: 'user', content: 'bare' }]);
  });

  /** Answers with the call's identity, after as many turns of the event loop as `delay` says. */
  const slow = (delay: (identity: CallIdentity) => number): RolloutEngine =>
    scripted(async ({ identity }) => {
      for (let i = delay(identity); i > 0; i--) await settle();
      return JSON.stringify(identity);
    });

  test('of a call does not depend on which of two agents or rollouts is faster', async () => {
    const run = (delay: (identity: CallIdentity) => number): Promise<Episode[]> =>
      engineFor(team, { rolloutEngine: slow(delay) }).executeTasks(requests(4), TRAIN);
    const reference = await run(() => 0);
    expect(await run(({ call }) => (call >= 2 ** 16 ? 0 : 3))).toStrictEqual(reference);
    expect(await run(({ rolloutIndex }) => 4 - rolloutIndex)).toStrictEqual(reference);
  });

  test('of a call counts from 0 for a single agent, and is 2¹⁶ further for each agent after it', async () => {
    const calls: number[] = [];
    const rolloutEngine = scripted(({ identity }) => {
      calls.push(identity.call);
      return 'x';
    });
    await engineFor(team, { rolloutEngine }).executeTasks(requests(1), { mode: 'val', step: 3 });
    expect(calls.sort((x, y) => x - y)).toEqual([0, 1, 2, 65_536, 65_537, 65_538, 131_072]);
  });

  test('of trajectories and steps is the same in every run, and differs between steps of training', async () => {
    const uids = async (step: number): Promise<(string | undefined)[]> => {
      const [episode] = await engineFor(team, { rolloutEngine: echo }).executeTasks(requests(1), {
        mode: 'train',
        step,
      });
      return episode?.trajectories.flatMap(({ uid, steps }) => [uid, steps.at(-1)?.id]) ?? [];
    };
    expect(await uids(4)).toEqual([
      'train/4/t:0/1/0',
      'train/4/t:0/1/0/2',
      'train/4/t:0/1/1',
      'train/4/t:0/1/1/2',
    ]);
    expect(await uids(5)).not.toEqual(await uids(4));
  });
});
