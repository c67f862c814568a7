import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBest, recoverBest, writeBest } from '../src/best-checkpoint.js';
import { tempFolder } from './support.js';

const record = (step: number) => ({ step, value: step / 10, metric: 'val/x', mode: 'max' as const });

/** A run with a checkpoint of each step, whose weights are its number. */
function runWith(...steps: readonly number[]): { run: string; checkpoint: (step: number) => string } {
  const run = tempFolder();
  const checkpoint = (step: number): string => join(run, `checkpoint-${step}`);
  for (const step of steps) {
    mkdirSync(join(checkpoint(step), 'backend'), { recursive: true });
    writeFileSync(join(checkpoint(step), 'backend/weights'), String(step));
  }
  return { run, checkpoint };
}

const weights = (run: string): string => readFileSync(join(run, 'best/backend/weights'), 'utf8');

test('a better checkpoint takes the place of the last, and nothing else is left', async () => {
  const { run, checkpoint } = runWith(1, 2);
  await writeBest(run, checkpoint(1), record(1));
  await writeBest(run, checkpoint(2), record(2));
  expect(weights(run)).toBe('2');
  expect(await readBest(run)).toEqual(record(2));
  expect((await readdir(run)).sort()).toEqual(['best', 'checkpoint-1', 'checkpoint-2']);
});

test('a copy that fails leaves the best one as it was', async () => {
  const { run, checkpoint } = runWith(1);
  await writeBest(run, checkpoint(1), record(1));
  await expect(writeBest(run, checkpoint(2), record(2))).rejects.toThrow('ENOENT');
  await recoverBest(run);
  expect(weights(run)).toBe('1');
  expect((await readdir(run)).sort()).toEqual(['best', 'checkpoint-1']);
});

test('a crash between the two renames is finished', async () => {
  const { run, checkpoint } = runWith(1, 2);
  await writeBest(run, checkpoint(2), record(2));
  renameSync(join(run, 'best'), join(run, '.best-next'));
  cpSync(checkpoint(1), join(run, '.best-previous'), { recursive: true });
  await recoverBest(run);
  expect(weights(run)).toBe('2');
  expect((await readdir(run)).sort()).toEqual(['best', 'checkpoint-1', 'checkpoint-2']);
});

test('a crash before the new copy was whole is undone', async () => {
  const { run, checkpoint } = runWith(1);
  await writeBest(run, checkpoint(1), record(1));
  renameSync(join(run, 'best'), join(run, '.best-previous'));
  mkdirSync(join(run, '.best-next'));
  await recoverBest(run);
  expect(weights(run)).toBe('1');
  expect((await readdir(run)).sort()).toEqual(['best', 'checkpoint-1']);
});

test('a run without a best checkpoint has none, and there is nothing to recover', async () => {
  const run = tempFolder();
  await recoverBest(run);
  expect(await readBest(run)).toBeUndefined();
  expect(await readdir(run)).toEqual([]);
});

test('a record that is cut off is none', async () => {
  const { run, checkpoint } = runWith(1);
  await writeBest(run, checkpoint(1), record(1));
  writeFileSync(join(run, 'best/best.json'), '{"step"');
  expect(await readBest(run)).toBeUndefined();
});
