import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guessProject } from './guess-project.js';
import { eventsOf, rllm } from './rllm.js';

test('the newest checkpoint of a run is validated, and thresholds decide the exit code', async () => {
  const folder = guessProject();
  await rllm(folder, ['train', '--run-dir', 'run']);
  const outcome = await rllm(folder, ['eval', '--run', 'run', '--json', '--min', 'val/unknown/pass@1=0']);
  expect(outcome.code).toBe(0);
  expect(eventsOf(outcome)).toMatchObject([
    {
      checkpoint: join(folder, 'run/checkpoints/step-000006'),
      metrics: { 'val/unknown/pass@1': expect.any(Number) },
    },
  ]);
  const low = await rllm(folder, ['eval', '--run', 'run', '--min', 'val/unknown/pass@1=1.5']);
  expect(low.code).toBe(3);
  expect(low.stdout).toContain('val/unknown/pass@1');
  expect(low.stderr).toContain('CHECK_FAILED');
  const both = await rllm(folder, ['eval', '--run', 'run', '--json', '--min', 'val/unknown/pass@1=1.5']);
  expect([both.code, both.stderr]).toEqual([3, low.stderr]);
  expect(eventsOf(both)).toEqual([
    {
      checkpoint: join(folder, 'run/checkpoints/step-000006'),
      metrics: expect.objectContaining({ 'val/unknown/pass@1': expect.any(Number) }),
      error: {
        code: 'CHECK_FAILED',
        message: expect.stringContaining('at least 1.5 was asked for'),
        fix: expect.any(String),
      },
    },
  ]);
});

test('a checkpoint is validated with the configuration at hand', async () => {
  const folder = guessProject();
  await rllm(folder, ['train', '--run-dir', 'run']);
  const { code, stdout } = await rllm(folder, ['eval', '--checkpoint', 'run/checkpoints/step-000002']);
  expect(code).toBe(0);
  expect(stdout).toContain('validation of run/checkpoints/step-000002');
});

test('without either the model is validated as it starts', async () => {
  const { code, stdout } = await rllm(guessProject(), ['eval']);
  expect(code).toBe(0);
  expect(stdout).toContain('validation of the model as it starts');
});

test.each([
  ['a metric that there is not', ['--min', 'val/unknwn/pass@1=0.5'], 'USAGE', 'val/unknown/pass@1'],
  ['a metric that every object has', ['--min', 'toString=1'], 'USAGE', 'val/unknown/pass@1'],
  ['a threshold that is no number', ['--min', 'val/unknown/pass@1=high'], 'USAGE', 'METRIC=VALUE'],
  ['a folder that is no checkpoint', ['--checkpoint', 'node_modules'], 'CHECKPOINT_INVALID', 'node_modules'],
])('%s is an error', async (_name, args, code, text) => {
  const outcome = await rllm(guessProject(), ['eval', ...args]);
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toContain(code);
  expect(outcome.stderr).toContain(text);
});
