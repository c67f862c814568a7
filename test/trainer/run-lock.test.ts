import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockRun } from '../../src/trainer/run-lock.js';

const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'rllm-lock-'));
const heldBy = async (holder: unknown): Promise<string> => {
  const directory = await folder();
  await writeFile(join(directory, 'run.lock'), typeof holder === 'string' ? holder : JSON.stringify(holder));
  return directory;
};

beforeAll(async () => {
  if (other.pid === undefined) await once(other, 'spawn');
});
afterAll(() => {
  other.kill('SIGKILL');
});

describe('the lock of a run', () => {
  test('is there while the run is written, and gone after', async () => {
    const directory = await folder();
    const release = await lockRun(directory);
    expect(await readdir(directory)).toEqual(['run.lock']);
    await release();
    expect(await readdir(directory)).toEqual([]);
  });

  test('held by this process refuses, by whatever name the folder is called', async () => {
    const directory = await folder();
    const release = await lockRun(directory);
    const alias = `${directory}-alias`;
    await symlink(directory, alias);
    for (const name of [directory, alias]) {
      await expect(lockRun(name)).rejects.toMatchObject({
        code: 'RUN_DIR_INVALID',
        message: expect.stringContaining('by this process'),
      });
    }
    await release();
    await (await lockRun(directory))();
  });

  test('that another host has taken over meanwhile is not released', async () => {
    const directory = await folder();
    const release = await lockRun(directory);
    await writeFile(
      join(directory, 'run.lock'),
      JSON.stringify({ pid: process.pid, host: 'elsewhere.invalid' }),
    );
    await release();
    expect(await readdir(directory)).toEqual(['run.lock']);
  });

  test('held by a living process of this machine refuses, and says which', async () => {
    const directory = await heldBy({ pid: other.pid, host: hostname() });
    await expect(lockRun(directory)).rejects.toMatchObject({
      code: 'RUN_DIR_INVALID',
      message: expect.stringContaining(`process ${other.pid}`),
    });
  });

  test.each([
    ['a process that is gone', { pid: 2 ** 22 - 1, host: hostname() }],
    ['a process of another machine', { pid: 1, host: 'elsewhere.invalid' }],
    ['a kill in the middle of its own writing', '{"pid":'],
  ])('left behind by %s is taken over', async (_who, holder) => {
    const directory = await heldBy(holder);
    const release = await lockRun(directory);
    await expect(readdir(directory)).resolves.toEqual(['run.lock']);
    await release();
  });

  test('says who holds it from the moment it is there', async () => {
    const directory = await folder();
    const seen = new Set<string>();
    let goesOn = true;
    const looking = (async () => {
      for (; goesOn; await nextTurn()) {
        try {
          seen.add(readFileSync(join(directory, 'run.lock'), 'utf8'));
        } catch {}
      }
    })();
    for (let k = 0; k < 100; k++) await (await lockRun(directory))();
    goesOn = false;
    await looking;
    const own = JSON.stringify({ pid: process.pid, host: hostname() });
    expect(seen).toEqual(new Set([own]));
  });
});
