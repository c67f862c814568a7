import { testApp } from 'rllm-sdk/testing';
import { expect, test } from 'vitest';
import plugin from '../src/index.js';

/** Two batches of two tasks with four rollouts of one token. */
const run = async (options: Readonly<Record<string, unknown>>) => {
  const app = await testApp({}, { plugins: [{ use: plugin, options }], policy: () => 'yes' });
  const { steps, summary } = await app.train();
  await app.dispose();
  return { steps, summary };
};

test('the sampled tokens are in the metrics', async () => {
  const { steps } = await run({});
  expect(steps.map((metrics) => metrics['example_part/tokens'])).toEqual([16, 32]);
});

test('a run that has sampled enough ends, as completed', async () => {
  const { steps, summary } = await run({ maxTokens: 10 });
  expect(steps).toHaveLength(1);
  expect(summary.status).toBe('completed');
});
