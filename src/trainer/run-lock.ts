import { randomUUID } from 'node:crypto';
import { link, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RllmError } from '../errors.js';

export const LOCK_FILE = 'run.lock';

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Folders that this process holds: by the lock file alone it could not be told from a process before it of the same number. */
const held = new Set<string>();

/**
 * Takes a run's folder, since two runs that write one folder would spoil it. A lock that a killed process left behind is taken over.
 *
 * @returns releases the lock.
 * @throws RllmError RUN_DIR_INVALID when a run of this process, or a process of this machine that is alive, holds it.
 */
export async function lockRun(directory: string): Promise<() => Promise<void>> {
  const real = await realpath(directory);
  if (held.has(real)) throw heldBy(process.pid, directory);
  held.add(real);
  try {
    await lockAgainstOthers(directory);
  } catch (thrown) {
    held.delete(real);
    throw thrown;
  }
  return async () => {
    await release(join(directory, LOCK_FILE));
    held.delete(real);
  };
}

async function lockAgainstOthers(directory: string): Promise<void> {
  const path = join(directory, LOCK_FILE);
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, JSON.stringify({ pid: process.pid, host: hostname() } satisfies Holder));
  try {
    if (await place(own, path)) return;
    const holder = await read(path);
    if (holder !== null && isAlive(holder)) throw heldBy(holder.pid, directory);
    await setAside(path, `${own}.found`);
    if (await place(own, path)) return;
    throw new RllmError('RUN_DIR_INVALID', `Another process has just taken the run in ${directory}.`);
  } finally {
    await rm(own, { force: true });
  }
}

function heldBy(pid: number, directory: string): RllmError {
  const [who, mend] =
    pid === process.pid
      ? ['this process', 'Wait for its run to end, or take another folder.']
      : [`process ${pid}`, `If that is another program, remove ${join(directory, LOCK_FILE)}.`];
  return new RllmError('RUN_DIR_INVALID', `The run in ${directory} is being written by ${who}. ${mend}`, {
    details: { pid },
  });
}

/** Puts the lock in its place with all it holds, where a file that is created is empty at first. @returns false when there is one */
async function place(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    if (!NO_LINKS.has(codeOf(cause))) throw cause;
  }
  try {
    await writeFile(path, await readFile(own), { flag: 'wx' });
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw cause;
  }
}

/** What file systems say that have no hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** Removes an abandoned lock; by a rename, since another process that found it too may have put its own there by now. */
async function setAside(path: string, found: string): Promise<void> {
  await rename(path, found).catch(() => undefined);
  const holder = await read(found);
  if (holder !== null && isAlive(holder)) await place(found, path);
  await rm(found, { force: true });
}

function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException).code;
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
    return codeOf(cause) === 'EPERM';
  }
}

/** Removes the lock, unless another host has taken the folder over meanwhile. */
async function release(path: string): Promise<void> {
  const holder = await read(path);
  if (holder === null || holder.pid !== process.pid || holder.host !== hostname()) return;
  await rm(path, { force: true }).catch(() => undefined);
}
