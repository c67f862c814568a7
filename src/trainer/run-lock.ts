import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
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
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, JSON.stringify({ pid: process.pid, host: hostname() } satisfies Holder));
  try {
    if (await place(own, path)) return () => release(path);
    const holder = await read(path);
    if (holder !== null && isAlive(holder)) throw heldBy(holder, directory);
    await setAside(path, `${own}.found`);
    if (await place(own, path)) return () => release(path);
    throw new RllmError('RUN_DIR_INVALID', `Another process has just taken the run in ${directory}.`);
  } finally {
    await rm(own, { force: true });
  }
}

function heldBy({ pid }: Holder, directory: string): RllmError {
  return new RllmError(
    'RUN_DIR_INVALID',
    `The run in ${directory} is being written by process ${pid}. If that is another program, remove ${join(directory, LOCK_FILE)}.`,
    { details: { pid } },
  );
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

async function release(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
