import { relative } from 'node:path';
import { RllmError } from '../errors.js';
import type { ValueSource } from './value-source.js';

/** One thing that is wrong in a configuration. */
export interface ConfigFault {
  /** The config file the value stands in; null for values from code, a flag or the environment. */
  readonly file: string | null;
  /** 1-based place in the file, where its format lets it be found. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** The flag or variable the value comes from. */
  readonly where?: string | undefined;
  /** Path of the value, `algorithm.estimatorMap.judge`; empty for the configuration as a whole. */
  readonly path: string;
  /** What is wrong, as a sentence without its full stop. */
  readonly message: string;
  readonly expected?: string | undefined;
  /** The value as it may be printed: never a secret. */
  readonly given?: string | undefined;
  /** The valid name, key or path closest to the one given. */
  readonly nearest?: string | undefined;
  /** Name of the environment variable that is missing. */
  readonly missingVariable?: string | undefined;
}

/** The fields of a fault that say where its value comes from. */
export function placeOf(source: ValueSource): Pick<ConfigFault, 'file' | 'line' | 'column' | 'where'> {
  if (source.from === 'file') return { file: source.where, line: source.line, column: source.column };
  if (source.from === 'flag' || source.from === 'environment') return { file: null, where: source.where };
  return { file: null };
}

/** One line: place, path, what is wrong, the nearest name. */
export function formatFault(fault: ConfigFault): string {
  const { file, line, column, where, path, message, expected, nearest } = fault;
  const place =
    file === null ? where : [relativeTo(file), line, column].filter((p) => p !== undefined).join(':');
  let text = [place, path, message].filter((part) => part !== undefined && part !== '').join(': ');
  if (expected !== undefined && nearest === undefined && !message.includes(expected))
    text += `; expected ${expected}`;
  text += /[.?!]$/.test(text) ? '' : '.';
  return nearest === undefined || message.includes('Did you mean')
    ? text
    : `${text} Did you mean "${nearest}"?`;
}

/** One error for all faults: CONFIG_ENV_MISSING when only variables are missing, else CONFIG_INVALID; `details.faults` has them. */
export function configError(faults: readonly ConfigFault[]): RllmError {
  const code = faults.every((fault) => fault.missingVariable !== undefined)
    ? 'CONFIG_ENV_MISSING'
    : 'CONFIG_INVALID';
  const count = faults.length === 1 ? 'One fault' : `${faults.length} faults`;
  const lines = faults.map((fault) => `  ${formatFault(fault)}`);
  return new RllmError(code, [`${count} in the configuration:`, ...lines].join('\n'), {
    details: { faults },
  });
}

function relativeTo(file: string): string {
  const short = relative(process.cwd(), file);
  return short.startsWith('..') || short === '' ? file : short;
}
