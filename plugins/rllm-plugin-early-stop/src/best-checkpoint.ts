import { constants } from 'node:fs';
import { cp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Validation } from './judge-validations.js';

/** What `best.json` says about the checkpoint beside it. */
export interface BestRecord extends Validation {
  readonly metric: string;
  readonly mode: 'max' | 'min';
}

const BEST = 'best';
const NEXT = '.best-next';
const PREVIOUS = '.best-previous';
const RECORD = 'best.json';

/**
 * Puts a copy of a checkpoint into `{run}/best`, in place of the one before, with `best.json`.
 *
 * The copy is made beside and then renamed, so that a copy which fails leaves the best one as it was. Between the two renames
 * there is no `best`; `recoverBest` mends that after a crash.
 */
export async function writeBest(run: string, checkpoint: string, record: BestRecord): Promise<void> {
  const next = join(run, NEXT);
  await rm(next, { recursive: true, force: true });
  // A file system that can share blocks copies large weights for nothing.
  await cp(checkpoint, next, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await writeFile(join(next, RECORD), `${JSON.stringify(record, null, 2)}\n`);
  if (await exists(join(run, BEST))) await rename(join(run, BEST), join(run, PREVIOUS));
  await rename(next, join(run, BEST));
  await rm(join(run, PREVIOUS), { recursive: true, force: true });
}

/** Finishes or undoes what a crash interrupted in `writeBest`. */
export async function recoverBest(run: string): Promise<void> {
  const [best, next, previous] = [join(run, BEST), join(run, NEXT), join(run, PREVIOUS)];
  // Only when `best` was moved away is the copy known to be whole: `best.json` comes last, and then the first rename.
  if (!(await exists(best)) && (await exists(previous))) {
    await rename((await exists(join(next, RECORD))) ? next : previous, best);
  }
  await rm(next, { recursive: true, force: true });
  await rm(previous, { recursive: true, force: true });
}

/** `undefined` when there is no best checkpoint, or none that says what it is. */
export async function readBest(run: string): Promise<BestRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(run, BEST, RECORD), 'utf8')) as BestRecord;
  } catch (thrown) {
    if (thrown instanceof SyntaxError || (thrown as NodeJS.ErrnoException).code === 'ENOENT')
      return undefined;
    throw thrown;
  }
}

export async function removeBest(run: string): Promise<void> {
  await rm(join(run, BEST), { recursive: true, force: true });
}

/** The run's own checkpoint of a step, if it still has it. */
export async function checkpointOf(run: string, step: number): Promise<string | undefined> {
  const directory = join(run, 'checkpoints', `step-${String(step).padStart(6, '0')}`);
  return (await exists(directory)) ? directory : undefined;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
