import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Does `work` while this process alone holds the lock file at `path`, and waits for whoever holds it.
 *
 * A lock whose process is gone is taken over. Within one process two calls exclude each other as well.
 */
export async function underLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, String(process.pid));
  try {
    while (!(await take(own, path))) await delay(200);
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** A link appears with its content, where a file that is created is empty at first and would look abandoned. */
async function take(own: string, path: string): Promise<boolean> {
  if (await linked(own, path)) return true;
  const holder = await readFile(path, 'utf8').catch(() => undefined);
  if (holder === undefined || isAlive(Number(holder))) return false;
  // By a rename, since of two that find it abandoned one may have taken it over before the other removes it.
  const found = `${own}.found`;
  await rename(path, found).catch(() => undefined);
  const taken = await readFile(found, 'utf8').catch(() => undefined);
  if (taken !== undefined && isAlive(Number(taken))) await linked(found, path);
  await rm(found, { force: true });
  return linked(own, path);
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}
