import { open, readFile, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RllmError } from '../errors.js';

export const LOCK_FILE = 'run.lock';

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/**
 * Takes a run's folder for this process, since two that write one folder would spoil it. A lock that a killed process left
 * behind is taken over.
 *
 * @returns releases the lock.
 * @throws RllmError RUN_DIR_INVALID when a process of this machine that is alive holds it.
 */
export async function lockRun(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, LOCK_FILE);
  if (await create(path)) return () => release(path);
  const holder = await read(path);
  if (holder !== null && isAlive(holder)) {
    throw new RllmError(
      'RUN_DIR_INVALID',
      `The run in ${directory} is being written by process ${holder.pid}. If that is another program, remove ${path}.`,
      { details: { pid: holder.pid } },
    );
  }
  await release(path);
  if (await create(path)) return () => release(path);
  throw new RllmError('RUN_DIR_INVALID', `Another process has just taken the run in ${directory}.`);
}

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(JSON.stringify({ pid: process.pid, host: hostname() } satisfies Holder));
    await file.close();
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

/** Null for a lock that is gone, or that was cut off while it was written. */
async function read(path: string): Promise<Holder | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

/** Whether the holder still runs. Of another machine's processes nothing is known: a folder that was moved is free. */
function isAlive({ pid, host }: Holder): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function release(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}
