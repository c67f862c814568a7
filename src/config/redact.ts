import type { Json } from '../types/index.js';
import { type ConfigPath, formatPath } from './config-path.js';
import { choicesOf } from './expected.js';
import type { LoadedConfig } from './loaded-config.js';
import { childOf, isPlainObject, keysOf, setOwn } from './plain-tree.js';
import { schemaAt } from './schema-at.js';
import { HIDDEN, hidesValue, withoutUrlPassword } from './secrets.js';
import type { RllmConfig } from './types.js';

/**
 * The configuration as it may be printed and kept.
 *
 * A text from the environment is shown as the reference to it (`${NAME}`), so that what is printed loads again where the
 * variable is set; so is a text of a file with references in it. Numbers, booleans and fixed choices are no secrets and are
 * shown. Options named like a secret, and passwords in URLs, are hidden.
 */
export function redact(config: RllmConfig, loaded?: Pick<LoadedConfig, 'sources'>): Json {
  const show = (value: unknown, path: ConfigPath): Json => {
    if (Array.isArray(value)) return value.map((item, i) => show(item, [...path, String(i)]));
    if (isPlainObject(value)) {
      const shown: { [key: string]: Json } = {};
      for (const key of keysOf(value)) setOwn(shown, key, show(childOf(value, key), [...path, key]));
      return shown;
    }
    if (value === null || typeof value === 'boolean') return value;
    if (hidesValue(path)) return HIDDEN;
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value !== 'string') return opaque(value);
    const schema = schemaAt(path);
    const isChoice = schema !== undefined && choicesOf(schema) !== undefined;
    const text = isChoice ? undefined : loaded?.sources[formatPath(path)]?.text;
    return text ?? withoutUrlPassword(value.replace(/\$\{/g, () => '$${'));
  };
  return show(config, []);
}

/** A value that only a config in code can hold. */
function opaque(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) return `[${value.constructor.name}]`;
  return typeof value === 'function' ? `[function ${value.name}]` : String(value);
}
