import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtInTrackers, consoleTracker, MetricsFile } from '../../src/tracking/index.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rllm-tracking-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const record = { step: 2, epoch: 0, kind: 'train', metrics: { b: 1, a: 0.5 } } as const;

test('a metrics line is in the file once it is appended, with its metrics sorted', async () => {
  const path = join(folder, 'one.jsonl');
  const file = await MetricsFile.open(path, 0);
  await file.append(record, 0);
  expect(await readFile(path, 'utf8')).toBe(
    '{"step":2,"epoch":0,"kind":"train","time":"1970-01-01T00:00:00.000Z","metrics":{"a":0.5,"b":1}}\n',
  );
  expect(file.bytes).toBe((await readFile(path)).length);
  await file.close();
});

test('a metrics file that is opened again goes on after the bytes to keep', async () => {
  const path = join(folder, 'two.jsonl');
  await writeFile(path, 'kept\nredone\nto');
  const file = await MetricsFile.open(path, 5);
  await file.append(record, 0);
  await file.close();
  expect((await readFile(path, 'utf8')).split('\n')[0]).toBe('kept');
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(3);
});

test('the console tracker prints key numbers on one plain line', () => {
  const lines: string[] = [];
  const tracker = consoleTracker.create({
    runDirectory: '',
    runId: '',
    config: {},
    resumedFrom: 0,
    print: (line) => lines.push(line),
  });
  const metrics = { 'batch/solve_rate': 0.5, 'optim/lr': 1, 'reward/agent/mean': 0.123456, 'time/step_s': 2 };
  void tracker.log({ step: 3, epoch: 0, kind: 'train', metrics });
  void tracker.log({ step: 3, epoch: 0, kind: 'val', metrics: { 'val/gsm/pass@1': 0.25 } });
  void tracker.finish('interrupted');
  expect(lines).toEqual([
    'step:3 - batch/solve_rate:0.5 - reward/agent/mean:0.1235 - time/step_s:2',
    'step:3 (validation) - val/gsm/pass@1:0.25',
    'run interrupted',
  ]);
});

test('every built-in tracker has a name of its own and says what it does', () => {
  const names = builtInTrackers.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(builtInTrackers.every(({ summary }) => summary.length > 0)).toBe(true);
});
