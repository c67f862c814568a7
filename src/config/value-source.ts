import type { ConfigPath } from './config-path.js';
import { formatPath, parsePath } from './config-path.js';

/** Where a value comes from. A flag beats the environment, which beats the file, which beats the default; code beats all. */
export interface ValueSource {
  readonly from: 'code' | 'flag' | 'environment' | 'file' | 'default';
  /** The config file, the name of the variable, the flag without its value; `code` or `default` for the other two. */
  readonly where: string;
  /** 1-based place in a JSON or YAML file. */
  readonly line?: number;
  readonly column?: number;
  /** What may be printed in place of the value: the text before environment variables were put in. */
  readonly text?: string;
}

export const FROM_DEFAULT: ValueSource = { from: 'default', where: 'default' };
export const FROM_CODE: ValueSource = { from: 'code', where: 'code' };

const STRENGTH: readonly ValueSource['from'][] = ['default', 'file', 'environment', 'flag', 'code'];

/** Source of a value of a loaded configuration; for a section or a list, the strongest source of what it holds. */
export function sourceOf(
  loaded: { readonly sources: Readonly<Record<string, ValueSource>> },
  path: string | ConfigPath,
): ValueSource {
  const keys = typeof path === 'string' ? (parsePath(path)?.path ?? []) : path;
  const exact = loaded.sources[formatPath(keys)];
  if (exact !== undefined) return exact;
  let strongest = FROM_DEFAULT;
  for (const [leaf, source] of Object.entries(loaded.sources)) {
    const below = parsePath(leaf)?.path.slice(0, keys.length);
    const isBelow = below !== undefined && formatPath(below) === formatPath(keys);
    if (isBelow && STRENGTH.indexOf(source.from) > STRENGTH.indexOf(strongest.from)) strongest = source;
  }
  return strongest;
}
