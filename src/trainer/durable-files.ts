import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Names that begin so are half-written; whoever opens a run's folder removes them. */
export const TEMPORARY = '.writing-';

/** Writes a file so that it is there whole or not at all. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await writeAllWhole([{ path, text }]);
}

/** Writes files so that each is there whole or not at all, and none before the text of all is written; they appear in order. */
export async function writeAllWhole(
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<void> {
  const written: { readonly temporary: string; readonly path: string }[] = [];
  for (const { path, text } of files) {
    const temporary = join(dirname(path), `${TEMPORARY}${randomUUID()}`);
    await writeFile(temporary, text);
    written.push({ temporary, path });
  }
  for (const { temporary, path } of written) await rename(temporary, path);
}

/** Waits until the disk has a folder, its files and its folders. */
export async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else await syncPath(path);
  }
  await syncPath(directory);
}

/** Waits until the disk has a file, or the names in a folder. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(ignoreOnWindows);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(ignoreOnWindows);
  } finally {
    await handle.close();
  }
}

/** Removes a folder so that a crash midway leaves nothing that looks whole. */
export async function removeWhole(directory: string): Promise<void> {
  const doomed = join(dirname(directory), `${TEMPORARY}${randomUUID()}`);
  await rename(directory, doomed);
  await rm(doomed, { recursive: true, force: true });
}

/** Removes what a crash left half-written in a folder; a missing folder has nothing. */
export async function removeTemporary(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    if (name.startsWith(TEMPORARY)) await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Windows opens no folders and syncs no files that are open for reading; the rename is still atomic there. */
function ignoreOnWindows(thrown: unknown): undefined {
  if (process.platform === 'win32') return undefined;
  throw thrown;
}
