import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testTracker } from 'rllm-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exampleTracker } from '../src/index.js';

describe('what every tracker must do', () => testTracker(exampleTracker, { writes: true }));

test('a step becomes a row for each of its metrics', async () => {
  const runDirectory = mkdtempSync(join(tmpdir(), 'tracker-'));
  onTestFinished(() => rmSync(runDirectory, { recursive: true }));
  const tracker = exampleTracker.create({
    runDirectory,
    runId: 'run',
    config: {},
    resumedFrom: 0,
    print: () => {},
  });
  await tracker.log({ step: 1, epoch: 0, kind: 'train', metrics: { 'batch/solve_rate': 0.5 } });
  await tracker.finish('completed');
  expect(readFileSync(join(runDirectory, 'example_part.csv'), 'utf8')).toBe('1,train,batch/solve_rate,0.5\n');
});
