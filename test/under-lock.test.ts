import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { underLock } from './under-lock.js';

const lockPath = (): string => join(mkdtempSync(join(tmpdir(), 'lock-')), 'lock');

test('one after another, however many ask at once, and nothing is left behind', async () => {
  const path = lockPath();
  let inside = 0;
  const seen = await Promise.all(
    Array.from({ length: 5 }, () =>
      underLock(path, async () => {
        const now = ++inside;
        await new Promise(setImmediate);
        inside--;
        return now;
      }),
    ),
  );
  expect(seen).toEqual([1, 1, 1, 1, 1]);
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

test('the lock of a process that is gone is taken over', async () => {
  const path = lockPath();
  const gone = spawnSync(process.execPath, ['--version']).pid;
  writeFileSync(path, String(gone));
  expect(await underLock(path, async () => 'done')).toBe('done');
});

test('work that throws releases the lock', async () => {
  const path = lockPath();
  await expect(underLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await underLock(path, async () => 'done')).toBe('done');
});
