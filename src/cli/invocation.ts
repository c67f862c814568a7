import { basename, relative, sep } from 'node:path';

/**
 * How the program was called, so that commands it prints can be pasted: `npx rllm` when it runs from a project's
 * `node_modules`, `rllm` when it is installed globally, else `node` and the path.
 */
export function invocation(script: string, cwd: string): string {
  const inProject = `${sep}node_modules${sep}`;
  if (script.includes(inProject)) return 'npx rllm';
  if (basename(script) === 'rllm') return 'rllm';
  return `node ${shellQuoted(nearPath(script, cwd))}`;
}

/** A path as a person would write it from `cwd`: relative when it lies below, else as it is. */
export function nearPath(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near !== '' && !near.startsWith('..') ? near : path;
}

/** A word that a POSIX shell reads as one word. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command of this program as a person would type it now: `npx rllm eval --run runs/a`. */
export function commandText(...words: readonly string[]): string {
  const begin = invocation(process.argv[1] ?? 'rllm', process.cwd());
  return [begin, ...words.map(shellQuoted)].join(' ');
}
