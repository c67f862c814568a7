import type { CommonOptions } from './options.js';

/** The options of every command, of a line that no command has read. */
export function lineOptions(argv: readonly string[]): CommonOptions {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const has = (flag: string): boolean => words.includes(flag);
  return { verbose: has('--verbose'), color: !has('--no-color'), json: has('--json') };
}
