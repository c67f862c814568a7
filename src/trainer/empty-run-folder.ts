import { readdir } from 'node:fs/promises';
import { RllmError } from '../errors.js';
import { TEMPORARY } from './durable-files.js';
import { LOCK_FILE } from './run-lock.js';
import { MANIFEST_FILE } from './run-manifest.js';

export const CONFIG_FILE = 'config.json';

/**
 * A folder where a run was killed before its manifest appeared counts as empty.
 *
 * @throws RllmError RUN_DIR_INVALID with what is there.
 */
export async function assertEmptyRunFolder(directory: string): Promise<void> {
  const names = await readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new RllmError('RUN_DIR_INVALID', `${directory} cannot be used: ${cause.message}`, { cause });
  });
  const taken = names.filter((name) => !name.startsWith(TEMPORARY) && !name.startsWith(LOCK_FILE));
  const wasKilled = taken.length < names.length && taken.every((name) => name === CONFIG_FILE);
  if (taken.length === 0 || wasKilled) return;
  const what = taken.includes(MANIFEST_FILE) ? 'holds a run already' : `is not empty: it has ${taken[0]}`;
  throw new RllmError('RUN_DIR_INVALID', `The run folder ${directory} ${what}.`);
}
