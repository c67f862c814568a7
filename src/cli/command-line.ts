import { redactFlag } from '../config/index.js';

/** How a `--set` flag may begin in the word that holds its value; the first, where that is the next word. */
const BEFORE_VALUE = ['', '--set=', '-s'];

/**
 * A command line as a run keeps it, its secrets hidden.
 *
 * @param set  the values of its `--set` flags.
 */
export function commandLine(words: readonly string[], set: readonly string[] = []): string {
  return words.map((word) => withoutSecrets(word, set)).join(' ');
}

function withoutSecrets(word: string, set: readonly string[]): string {
  const start = BEFORE_VALUE.find((begin) => set.some((flag) => word === begin + flag));
  return start === undefined ? word : start + redactFlag(word.slice(start.length));
}
