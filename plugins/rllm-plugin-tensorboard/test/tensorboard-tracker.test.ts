import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RllmConfigInput, TrackerContext, TrackerRecord } from 'rllm-sdk';
import { testApp, testTracker } from 'rllm-sdk/testing';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pythonVenv } from '../../../test/python-venv.js';
import tensorboard, { tensorBoardTracker } from '../src/index.js';
import { points, readEvents } from './read-events.js';

const tracker = tensorBoardTracker({ folder: 'tensorboard' });

beforeAll(async () => {
  await pythonVenv('tensorboard');
}, 600_000);

function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rllm-tensorboard-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function contextOf(runDirectory: string, resumedFrom = 0): TrackerContext {
  const config = { trainer: { seed: 7 } };
  return { runDirectory, runId: 'run-1', config, resumedFrom, print: () => undefined };
}

const train = (step: number, loss: number): TrackerRecord => ({
  step,
  epoch: 0,
  kind: 'train',
  metrics: { 'optim/loss': loss, 'reward/größe 1/mean': step },
});

const val = (step: number, value: number): TrackerRecord => ({
  step,
  epoch: 0,
  kind: 'val',
  metrics: { 'val/unknown/pass@1': value },
});

describe('the contract of trackers', () => {
  testTracker(tracker, { writes: true });
});

test('TensorBoard reads every metric at its step, of training and validation', async () => {
  const run = tempFolder();
  const before = Date.now() / 1000;
  const one = tracker.create(contextOf(run));
  await one.log(val(0, 0.25));
  await one.log(train(1, 0.1));
  await one.log(train(2, -3));
  await one.log(val(2, 0.5));
  await one.finish('completed');
  const events = await readEvents(join(run, 'tensorboard'));
  expect(points(events, 'val/unknown/pass@1')).toEqual([
    [0, 0.25],
    [2, 0.5],
  ]);
  expect(points(events, 'optim/loss')).toEqual([
    [1, Math.fround(0.1)],
    [2, -3],
  ]);
  expect(points(events, 'reward/größe 1/mean')).toEqual([
    [1, 1],
    [2, 2],
  ]);
  const times = Object.values(events.scalars).flatMap((list) => list.map(({ time }) => time));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now() / 1000);
});

test('the configuration and the end are texts', async () => {
  const run = tempFolder();
  const one = tracker.create(contextOf(run));
  await one.log(train(3, 1));
  await one.finish('interrupted');
  const { texts } = await readEvents(join(run, 'tensorboard'));
  expect(texts).toEqual({
    config: [{ step: 0, text: '    {\n      "trainer": {\n        "seed": 7\n      }\n    }' }],
    run: [{ step: 0, text: 'run-1' }],
    status: [{ step: 3, text: 'interrupted' }],
  });
});

test('a record is in the file as soon as it is logged', async () => {
  const run = tempFolder();
  const one = tracker.create(contextOf(run));
  await one.log(train(1, 4));
  expect(points(await readEvents(join(run, 'tensorboard')), 'optim/loss')).toEqual([[1, 4]]);
  await one.log(train(2, 5));
  expect(points(await readEvents(join(run, 'tensorboard')), 'optim/loss')).toEqual([
    [1, 4],
    [2, 5],
  ]);
  await one.finish('completed');
});

test('a resumed run writes a second file, and no step is there twice', async () => {
  const run = tempFolder();
  const first = tracker.create(contextOf(run));
  for (const step of [1, 2]) await first.log(train(step, step));
  await first.log(val(2, 0.5));
  for (const step of [3, 4]) await first.log(train(step, step));
  await first.finish('failed');
  const second = tracker.create(contextOf(run, 2));
  for (const step of [3, 4, 5]) await second.log(train(step, 10 * step));
  await second.finish('completed');
  expect(readdirSync(join(run, 'tensorboard'))).toHaveLength(2);
  const events = await readEvents(join(run, 'tensorboard'));
  expect(points(events, 'optim/loss')).toEqual([
    [1, 1],
    [2, 2],
    [3, 30],
    [4, 40],
    [5, 50],
  ]);
  expect(points(events, 'val/unknown/pass@1')).toEqual([[2, 0.5]]);
  // TensorBoard forgets scalars, and keeps texts: how each part of the run ended.
  expect(events.texts['status']).toEqual([
    { step: 4, text: 'failed' },
    { step: 5, text: 'completed' },
  ]);
});

test('a run that was killed before its first checkpoint begins anew, step 0 included', async () => {
  const run = tempFolder();
  const first = tracker.create(contextOf(run));
  await first.log(val(0, 0.25));
  await first.log(train(1, 1));
  const second = tracker.create(contextOf(run, 0));
  await second.log(val(0, 0.25));
  await second.log(train(1, 2));
  await second.finish('completed');
  await first.finish('failed');
  const events = await readEvents(join(run, 'tensorboard'));
  expect(points(events, 'val/unknown/pass@1')).toEqual([[0, 0.25]]);
  expect(points(events, 'optim/loss')).toEqual([[1, 2]]);
});

test('TensorBoard has of a run what metrics.jsonl has, to the digits of float32', async () => {
  const run = tempFolder();
  const config: RllmConfigInput = {
    tracking: { trackers: ['tensorboard'] },
    trainer: { totalBatches: 4, testFreq: 2, valBeforeTrain: true },
  };
  await using app = await testApp(config, {
    plugins: [tensorboard],
    valData: [{ id: 'v' }, { id: 'w' }],
    run: { directory: run },
    useDeclared: false,
  });
  await app.train();
  const events = await readEvents(join(run, 'tensorboard'));
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
  const written = lines.flatMap((line) => {
    const { step, metrics } = JSON.parse(line) as { step: number; metrics: Record<string, number> };
    return Object.entries(metrics).map(([tag, value]) => [tag, step, Math.fround(value)]);
  });
  const read = Object.keys(events.scalars).flatMap((tag) =>
    points(events, tag).map(([step, value]) => [tag, step, value]),
  );
  const sorted = (rows: unknown[][]): string[] => rows.map((row) => JSON.stringify(row)).sort();
  expect(sorted(read)).toEqual(sorted(written));
  expect(events.texts['config']?.[0]?.text).toContain('"totalBatches": 4');
});

test('a run that writes nothing has no events, and goes on without', async () => {
  expect(() => tracker.create(contextOf(''))).toThrow('no place for event files');
  await using app = await testApp(
    { tracking: { trackers: ['tensorboard'] } },
    { plugins: [tensorboard], run: null, useDeclared: false },
  );
  expect((await app.train()).summary.status).toBe('completed');
});

test.each(['../elsewhere', '/tmp', 'a/b', '', '..'])('the folder %j is refused', async (folder) => {
  const started = testApp({}, { plugins: [{ use: tensorboard, options: { folder } }], useDeclared: false });
  await expect(started).rejects.toMatchObject({ code: 'PLUGIN_INVALID' });
});
