import { defineWorkflow } from 'rllm-sdk';
import { testApp } from 'rllm-sdk/testing';
import { expect, test } from 'vitest';
import plugin from '../src/index.js';

const ask = defineWorkflow('ask', async (task, context) => {
  await context.agent('agent').respond(String(task['question']));
});

test.each([
  ['42', 1],
  [' 42 ', 1],
  ['43', 0],
])('the reply %j to a task with the answer 42 is worth %d', async (reply, reward) => {
  const run = await testApp(
    { reward: { functions: ['example_part'] }, data: { trainBatchSize: 1 } },
    {
      plugins: [plugin],
      workflow: ask,
      trainData: [{ question: 'six times seven', answer: 42 }],
      policy: () => reply,
    },
  );
  const { steps } = await run.train();
  await run.dispose();
  expect(steps[0]?.['reward/agent/mean']).toBe(reward);
});
