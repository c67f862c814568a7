import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../types/index.js';
import { type ConfigPath, formatPath } from './config-path.js';
import { choicesOf } from './expected.js';
import type { LoadedConfig } from './loaded-config.js';
import { childOf, isPlainObject, keysOf, setOwn } from './plain-tree.js';
import { schemaAt } from './schema-at.js';
import { HIDDEN, hidesValue, withoutUrlSecrets } from './secrets.js';
import { readSetFlags } from './set-flags.js';
import type { RllmConfig } from './types.js';

/**
 * The configuration as it may be printed and kept.
 *
 * A text from the environment is shown as the reference to it (`${NAME}`), so that what is printed loads again where the
 * variable is set; so is a text of a file with references in it. Numbers, booleans and fixed choices are no secrets and are
 * shown. Options named like a secret, and the secrets in URLs, are hidden.
 */
export function redact(config: RllmConfig, loaded?: Pick<LoadedConfig, 'sources'>): Json {
  return shown(config, [], (value, path) => {
    const schema = schemaAt(path);
    const isChoice = schema !== undefined && choicesOf(schema) !== undefined;
    const text = isChoice ? undefined : loaded?.sources[formatPath(path)]?.text;
    return text ?? withoutUrlSecrets(value.replace(/\$\{/g, () => '$${'));
  });
}

/** A `--set` flag as it may be printed and kept: as it was written, but for what `redact` hides. */
export function redactFlag(flag: string): string {
  const [assignment] = readSetFlags([flag]).assignments;
  if (assignment === undefined) return HIDDEN;
  const { path, value } = assignment;
  const open = shown(value, path, withoutUrlSecrets);
  if (isDeepStrictEqual(open, value)) return flag;
  return `${formatPath(path)}=${typeof open === 'string' ? open : JSON.stringify(open)}`;
}

/** @param textAt  shows a text that is not hidden by its name. */
function shown(value: unknown, path: ConfigPath, textAt: (text: string, path: ConfigPath) => string): Json {
  if (Array.isArray(value)) return value.map((item, i) => shown(item, [...path, String(i)], textAt));
  if (isPlainObject(value)) {
    const copy: { [key: string]: Json } = {};
    for (const key of keysOf(value)) setOwn(copy, key, shown(childOf(value, key), [...path, key], textAt));
    return copy;
  }
  if (value === null || typeof value === 'boolean') return value;
  if (hidesValue(path)) return HIDDEN;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return typeof value === 'string' ? textAt(value, path) : opaque(value);
}

/** A value that only a config in code can hold. */
function opaque(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) return `[${value.constructor.name}]`;
  return typeof value === 'function' ? `[function ${value.name}]` : String(value);
}
