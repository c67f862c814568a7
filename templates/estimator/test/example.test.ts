import { testApp, testEstimator } from 'rllm-sdk/testing';
import { describe, expect, test } from 'vitest';
import plugin, { ExampleEstimator } from '../src/index.js';

describe('what every estimator must do', () => testEstimator(ExampleEstimator));

test('a run trains with it, and a good answer gets more than a bad one', async () => {
  const config = { algorithm: { estimator: 'example_part' } };
  const run = await testApp(config, { plugins: [plugin] });
  const { summary, advantages } = await run.train();
  await run.dispose();
  expect(summary.status).toBe('completed');
  const all = advantages.flat(3);
  expect(Math.max(...all.map(Number))).toBeGreaterThan(0);
});
