import { readEpisodes, type SavedStep } from '../trainer/index.js';

/**
 * The saved steps of a run up to step `last`, earliest first.
 *
 * @param seen  gets the number of each that is read.
 * @throws RllmError EPISODES_MISSING as `readEpisodes` does.
 */
export async function* stepsUpTo(
  directory: string,
  last: number,
  seen: Set<number>,
): AsyncGenerator<SavedStep, void, undefined> {
  for await (const saved of readEpisodes(directory, 'train')) {
    if (saved.step > last) return;
    seen.add(saved.step);
    yield saved;
  }
}

/** Those of the steps before the last one seen that were not saved, in a sentence, if any. */
export function missingSteps(seen: ReadonlySet<number>): readonly string[] {
  const last = Math.max(0, ...seen);
  const missing = Array.from({ length: last }, (_none, at) => at + 1).filter((step) => !seen.has(step));
  if (missing.length === 0) return [];
  const [first, end] = [missing[0], missing.at(-1)];
  const which =
    missing.length === 1 ? `Step ${first} is` : `${missing.length} of the steps from ${first} to ${end} are`;
  return [
    `${which} not saved: the state of an estimator and the groups that wait lack what they have from there, so the numbers may be others than those of the run.`,
  ];
}
