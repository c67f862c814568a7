import { describe, expect, test } from 'vitest';
import type { ModelCall } from '../../src/rollout/index.js';
import { createEpisode, createStep, createTrajectory, type Episode } from '../../src/types/index.js';
import { defineWorkflow, type Task, Workflow, type WorkflowFunction } from '../../src/workflow/index.js';
import { runOnce, type Setting, scripted } from './run-workflow.js';

const run = (workflow: WorkflowFunction, setting?: Setting): Promise<Episode> =>
  runOnce(defineWorkflow('tested', workflow), setting);

const errorOf = async (workflow: WorkflowFunction): Promise<unknown> => {
  const { info } = await run(workflow);
  const { error } = info;
  return error;
};

describe('an agent', () => {
  test('records each model call as a step with the whole conversation', async () => {
    const episode = await run(async (_, { agent }) => {
      const solver = agent('solver', [{ role: 'system', content: 'be brief' }]);
      await solver.respond('one');
      await solver.respond([{ role: 'tool', content: 'two', toolCallId: 'c' }]);
      solver.reward(0.5);
    });
    const [trajectory] = episode.trajectories;
    expect(trajectory).toMatchObject({ name: 'solver', reward: 0.5 });
    expect(trajectory?.steps.map(({ reward }) => reward)).toEqual([0, 0.5]);
    expect(trajectory?.steps[0]).toMatchObject({
      modelResponse: 'one',
      weightVersion: 7,
      logprobs: [-1, -1, -1],
    });
    expect(trajectory?.steps[0]?.responseIds).toEqual([111, 110, 101]);
    expect(trajectory?.steps[1]?.chatCompletions).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'one' },
      { role: 'tool', content: 'two', toolCallId: 'c' },
      { role: 'assistant', content: 'two' },
    ]);
  });

  test('keeps the conversation as it was when a model call fails', async () => {
    let calls = 0;
    const flaky = scripted(() => {
      if (calls++ === 0) throw new Error('busy');
      return 'yes';
    });
    const episode = await run(
      async (_, { agent }) => {
        const solver = agent('solver');
        await solver.respond('well?').catch(() => undefined);
        await solver.respond('well?');
      },
      { rolloutEngine: flaky },
    );
    expect(episode.trajectories[0]?.steps).toHaveLength(1);
    expect(episode.trajectories[0]?.steps[0]?.chatCompletions).toHaveLength(2);
  });

  test('makes one call at a time', async () => {
    const error = await errorOf(async (_, { agent }) => {
      const solver = agent('solver');
      await Promise.all([solver.respond('a'), solver.respond('b')]);
    });
    expect(error).toMatchObject({ code: 'WORKFLOW_FAILED' });
  });

  test('may be rewarded in named parts, which are of its whole trajectory', async () => {
    const parts = { correct: 1, format: 0.5 };
    const episode = await run(async (_, { agent }) => {
      const solver = agent('solver');
      await solver.respond('one');
      solver.reward(1.5, parts);
      parts.format = 9;
      await solver.respond('two');
      solver.reward(0, { correct: 0 });
    });
    expect(episode.trajectories[0]).toMatchObject({ reward: 1.5, rewards: { correct: 0, format: 0.5 } });
    expect(JSON.parse(JSON.stringify(episode.trajectories[0]))).toEqual(episode.trajectories[0]);
  });

  test('cannot be rewarded before its first step', async () => {
    const error = await errorOf(async (_, { agent }) => agent('solver').reward(1));
    expect(error).toMatchObject({
      code: 'WORKFLOW_FAILED',
      message: 'The agent "solver" was given a reward before it made a step.',
    });
  });

  test('samples as rollout.train or rollout.val say, but for what a call asks for itself', async () => {
    const seen: ModelCall['sampling'][] = [];
    const workflow = defineWorkflow('tested', async (_, { agent, model }) => {
      await agent('solver').respond('x', { maxTokens: 1, stop: ['.'] });
      await model([{ role: 'user', content: 'y' }]);
    });
    const rolloutEngine = scripted(({ sampling }) => {
      seen.push(sampling);
      return 'z';
    });
    await runOnce(workflow, { rolloutEngine });
    await runOnce(workflow, { rolloutEngine }, { mode: 'val' });
    expect(seen).toEqual([
      { temperature: 1, topP: 1, maxTokens: 1, stop: ['.'] },
      { temperature: 1, topP: 1, maxTokens: 16 },
      { temperature: 0, topP: 1, maxTokens: 1, stop: ['.'] },
      { temperature: 0, topP: 1, maxTokens: 16 },
    ]);
  });
});

describe('what an episode holds', () => {
  test('committed trajectories first, then agents with steps in the order in which they were made', async () => {
    const episode = await run(async (_, { agent, commit }) => {
      const second = agent('second');
      agent('idle');
      const first = agent('first');
      const third = agent('third');
      await third.respond('3');
      await second.respond('2');
      await first.respond('1');
      commit(first.trajectory);
      commit(createTrajectory({ name: 'own', steps: [createStep({ modelResponse: 'x', reward: 2 })] }));
    });
    expect(episode.trajectories.map(({ name }) => name)).toEqual(['first', 'own', 'second', 'third']);
    expect(episode.metrics).toMatchObject({ own_acc: 2 });
  });

  test('a committed trajectory is a copy', async () => {
    const episode = await run(async (_, { commit }) => {
      const step = createStep({ modelResponse: 'x', reward: 1, info: { seen: ['a'] } });
      commit(createTrajectory({ name: 'own', steps: [step] }));
      step.reward = 9;
      Object.assign(step.info, { seen: 'nothing' });
    });
    expect(episode.trajectories[0]?.steps[0]).toMatchObject({ reward: 1, info: { seen: ['a'] } });
  });

  test('an agent whose trajectory was committed takes no more steps, since they would be lost', async () => {
    const error = await errorOf(async (_, { agent, commit }) => {
      const solver = agent('solver');
      await solver.respond('a');
      commit(solver.trajectory);
      await solver.respond('b');
    });
    expect(error).toMatchObject({ code: 'WORKFLOW_FAILED' });
  });

  test('an empty trajectory is an error unless it is allowed', async () => {
    const empty = createTrajectory({ name: 'none' });
    expect(await errorOf(async (_, { commit }) => commit(empty))).toMatchObject({ code: 'WORKFLOW_FAILED' });
    const allowed = await run(async (_, { commit }) => commit(empty, { allowEmpty: true }));
    expect(allowed.trajectories).toMatchObject([{ name: 'none', steps: [] }]);
  });

  test('nothing is committed twice, and nothing malformed at all', async () => {
    const step = createStep({ modelResponse: 'x' });
    const own = createTrajectory({ steps: [step] });
    const broken = createTrajectory({ steps: [{ ...step, responseIds: [1], logprobs: [-1, -1] }] });
    const twice = await errorOf(async (_, { commit }) => {
      commit(own);
      commit(own);
    });
    expect(twice).toMatchObject({ code: 'WORKFLOW_FAILED' });
    expect(await errorOf(async (_, { commit }) => commit(broken))).toMatchObject({ code: 'STEP_MALFORMED' });
  });

  test("the workflow's metrics stand beside those of its trajectories", async () => {
    const episode = await run(async (_, { agent, metric }) => {
      const solver = agent('solver');
      await solver.respond('a');
      solver.reward(1);
      metric('tries', 3);
    });
    expect(episode.metrics).toEqual({ tries: 3, solver_acc: 1 });
  });

  test('a metric says how it is reduced over rollouts, unless it is averaged', async () => {
    const episode = await run(async (_, { agent, metric }) => {
      await agent('solver').respond('a');
      metric('calls', 2, 'sum');
      metric('tries', 3);
    });
    expect(episode.metrics).toMatchObject({ calls: 2, tries: 3 });
    expect(episode.metricRules).toEqual({ calls: 'sum' });
    const wrong = async (): Promise<unknown> =>
      // @ts-expect-error there is no such rule
      errorOf(async (_, { metric }) => metric('calls', 1, 'total'));
    expect(await wrong()).toMatchObject({ code: 'WORKFLOW_FAILED' });
  });

  test('a metric must be a finite number', async () => {
    expect(await errorOf(async (_, { metric }) => metric('tries', Number.NaN))).toMatchObject({
      code: 'WORKFLOW_FAILED',
    });
  });

  test('identity, task, data source and number of attempts', async () => {
    const workflow = defineWorkflow('tested', async (_, { agent }) => {
      await agent('solver').respond('x');
    });
    expect(await runOnce(workflow)).toMatchObject({
      id: 't:0',
      taskId: 't',
      rolloutIndex: 0,
      task: { question: 'q' },
      info: { attempts: 1 },
    });
  });
});

describe('a returned episode', () => {
  test('has what it leaves out completed: trajectories, rewards, correctness, metrics, reason, task', async () => {
    const episode = await run(async (_, { agent, taskId, rolloutIndex }) => {
      const solver = agent('solver');
      await solver.respond('a');
      solver.reward(1);
      return createEpisode({ taskId, rolloutIndex, info: { note: 'mine' } });
    });
    expect(episode).toMatchObject({
      terminationReason: 'env_done',
      isCorrect: true,
      task: { question: 'q' },
      metrics: { solver_acc: 1 },
      info: { note: 'mine', attempts: 1 },
      trajectories: [{ name: 'solver', reward: 1 }],
    });
  });

  test('wins with what it sets', async () => {
    const episode = await run(async (_, { agent, metric, taskId, rolloutIndex }) => {
      const solver = agent('solver');
      await solver.respond('a');
      solver.reward(1);
      metric('tries', 1);
      return createEpisode({
        id: 'mine',
        taskId,
        rolloutIndex,
        task: 'other',
        terminationReason: 'max_turns_exceeded',
        isCorrect: false,
        trajectories: [createTrajectory({ name: 'own', reward: 4 })],
        metrics: { tries: 5 },
      });
    });
    expect(episode).toMatchObject({
      id: 'mine',
      task: 'other',
      terminationReason: 'max_turns_exceeded',
      isCorrect: false,
      metrics: { tries: 5, own_acc: 4 },
    });
    expect(episode.trajectories.map(({ name }) => name)).toEqual(['own']);
  });

  test('may be changed after it was made', async () => {
    const episode = await run(async (_, { taskId, rolloutIndex }) => {
      const own = createEpisode({ taskId, rolloutIndex });
      own.isCorrect = true;
      own.trajectories.push(createTrajectory({ name: 'own', reward: -1 }));
      return own;
    });
    expect(episode).toMatchObject({ isCorrect: true, trajectories: [{ name: 'own', reward: -1 }] });
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a number', 1],
    ['an object', { reward: 1 }],
    ['a list of trajectories', [createTrajectory()]],
    ['the episode of another rollout', createEpisode({ taskId: 't', rolloutIndex: 5 })],
    ['an unknown reason', { ...createEpisode({ taskId: 't', rolloutIndex: 0 }), terminationReason: 'won' }],
  ])('cannot be %s', async (_, value) => {
    const error = await errorOf(async () => value as undefined);
    expect(error).toMatchObject({ code: 'WORKFLOW_FAILED' });
    expect(error).toMatchObject({ message: expect.stringContaining('"tested"') });
  });
});

describe('a workflow as a class', () => {
  class Counter extends Workflow<{ readonly start: number }> {
    #count = 0;

    override async run({ question }: Task): Promise<void> {
      this.#count++;
      await this.context.agent('counter').respond(`${question}${this.context.options.start + this.#count}`);
    }
  }

  test('is made anew for every rollout, so that no state leaks', async () => {
    const workflow = defineWorkflow('counter', Counter);
    const options = { start: 10 };
    const first = await runOnce(workflow, { options });
    const second = await runOnce(workflow, { options });
    expect(first.trajectories[0]?.steps[0]?.modelResponse).toBe('q11');
    expect(second.trajectories[0]?.steps[0]?.modelResponse).toBe('q11');
  });
});
