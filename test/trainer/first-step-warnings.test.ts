import { describe, expect, test } from 'vitest';
import type { TrainerEvent, WorkflowFunction } from '../../src/index.js';
import { collect, tiny } from './tiny-run.js';

const TWO_STEPS = { trainer: { totalBatches: 2, testFreq: 0, saveFreq: 0, valBeforeTrain: false } };

async function warnings(options: Parameters<typeof tiny>[0]): Promise<readonly TrainerEvent[]> {
  return (await collect(tiny(options).trainer)).filter(({ event }) => event === 'warning');
}

describe('a role that no rollout has', () => {
  test('in estimatorMap and lossFnMap is told once, with the nearest of those that there are', async () => {
    const config = {
      ...TWO_STEPS,
      algorithm: { estimatorMap: { agents: 'rloo', agent: 'rloo' }, lossFnMap: { judge: 'ppo' } },
    };
    expect(await warnings({ config })).toEqual([
      {
        event: 'warning',
        code: 'ROLE_UNSEEN',
        message:
          'algorithm.estimatorMap.agents names the role "agents", which no rollout of the first step has. Did you mean "agent"? Known: agent.',
      },
      expect.objectContaining({ code: 'ROLE_UNSEEN', message: expect.stringContaining('lossFnMap.judge') }),
    ]);
  });

  test('in the roles of a reward function', async () => {
    const config = { ...TWO_STEPS, reward: { functions: [{ use: 'workflow', roles: ['critic'] }] } };
    expect(await warnings({ config })).toEqual([
      expect.objectContaining({
        code: 'ROLE_UNSEEN',
        message: expect.stringMatching(/^reward\.functions.0.*roles names the role "critic"/),
      }),
    ]);
  });
});

test('rewards that are all 0 in the first step are told once; others are not', async () => {
  const wrong = await warnings({ config: TWO_STEPS, policy: () => 'no' });
  expect(wrong).toEqual([
    expect.objectContaining({ code: 'REWARDS_ALL_ZERO', message: expect.stringContaining('8 rollouts') }),
  ]);
  expect(await warnings({ config: TWO_STEPS, policy: () => 'yes' })).toEqual([]);
});

test('rewards that are all 0 because rollouts were cut off are told with how many were', async () => {
  const workflow: WorkflowFunction = async (_, context) => {
    await context.agent('agent').respond('question');
    if (context.rolloutIndex > 0) context.terminate('timeout');
  };
  const [warning] = await warnings({ config: TWO_STEPS, workflow });
  expect(warning).toMatchObject({
    code: 'REWARDS_ALL_ZERO',
    message: expect.stringContaining('6 of the rollouts were cut off at workflow.timeoutMs.'),
  });
});

test('a reward of a named part alone is one', async () => {
  const parts: WorkflowFunction = async (_, context) => {
    const agent = context.agent('agent');
    await agent.respond('question');
    agent.reward(0, { correct: context.rolloutIndex });
  };
  expect(await warnings({ config: TWO_STEPS, workflow: parts })).toEqual([]);
});

test('a role and a reward of rollouts that compact filtering leaves out are there', async () => {
  const workflow: WorkflowFunction = async (_task, context) => {
    const agent = context.agent('agent');
    await agent.respond('question');
    agent.reward(0);
    if (context.rolloutIndex > 0) return;
    const fixer = context.agent('fixer');
    await fixer.respond('another');
    fixer.reward(1);
    context.terminate('max_turns_exceeded');
  };
  const config = {
    ...TWO_STEPS,
    algorithm: { estimatorMap: { fixer: 'rloo' } },
    compactFiltering: { enable: true, maskMaxTurnsExceeded: true },
  };
  expect(await warnings({ config, workflow })).toEqual([]);
});
