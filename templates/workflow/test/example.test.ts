import { testApp } from 'rllm-sdk/testing';
import { expect, test } from 'vitest';
import plugin from '../src/index.js';

test.each([
  ['at once', 1, 1],
  ['at the second try', 2, 0.5],
  ['never', 3, 0],
])('an answer that is right %s', async (_when, turn, reward) => {
  const run = await testApp(
    { workflow: { use: 'example_part' }, data: { trainBatchSize: 1 } },
    {
      plugins: [plugin],
      trainData: [{ question: 'the capital of France', answer: 'Paris' }],
      // The conversation of turn n has n questions and n − 1 replies.
      policy: ({ messages }) => (messages.length === 2 * turn - 1 ? 'Paris' : 'London'),
    },
  );
  const { steps } = await run.train();
  await run.dispose();
  expect(steps[0]?.['reward/agent/mean']).toBe(reward);
});
