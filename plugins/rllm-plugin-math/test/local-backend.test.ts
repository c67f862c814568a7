import { createApp, type Metrics } from 'rllm-sdk';
import { expect, test } from 'vitest';
import math from '../src/index.js';

/** The sums up to 3 as words of a tiny vocabulary: the model chooses between six answers, half of them in a box. */
const TASKS = [
  { id: '0', question: '0 + 1 =', answer: '#### 1' },
  { id: '1', question: '1 + 1 =', answer: '#### 2' },
  { id: '2', question: '1 + 2 =', answer: '#### 3' },
];

const WORDS = ['<bos>', '0', '1', '2', '3', '+', '=', '\\boxed{1}', '\\boxed{2}', '\\boxed{3}'];

test('the local backend learns to answer, and to box what it answers', async () => {
  await using app = await createApp(
    {
      workflow: { use: 'math', options: { prompt: '{question}' } },
      reward: { functions: ['math_answer', { use: 'math_format', weight: 0.5 }] },
      algorithm: { learningRate: 0.02 },
      rollout: { n: 16, train: { maxTokens: 1 }, val: { temperature: 0, maxTokens: 1 } },
      data: { trainBatchSize: 3 },
      trainer: { totalBatches: 60, testFreq: 60, seed: 3 },
      backend: {
        name: 'local',
        options: {
          local: { vocabulary: { words: WORDS, bos: '<bos>' }, model: { dModel: 16, contextLength: 8 } },
        },
      },
    },
    { plugins: [math], trainData: TASKS, valData: TASKS, run: null, useDeclared: false },
  );
  const steps: Metrics[] = [];
  let validation: Metrics = {};
  for await (const event of (await app.trainer()).events()) {
    if (event.event === 'step') steps.push(event.metrics);
    if (event.event === 'validation') validation = event.metrics;
  }
  expect(steps[0]?.['reward/solver/mean']).toBeLessThan(0.75);
  expect(steps.at(-1)?.['reward/solver/mean']).toBeGreaterThan(1.25);
  expect(validation).toMatchObject({ 'val/unknown/pass@1': 1, 'val/reward/solver/mean': 1.5 });
});
