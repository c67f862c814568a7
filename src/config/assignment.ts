import type { ConfigPath } from './config-path.js';
import { isPlainObject, type PlainObject, setOwn } from './plain-tree.js';
import type { ValueSource } from './value-source.js';

/** A value that a flag, a variable or code sets on top of the config file. */
export interface Assignment {
  readonly path: ConfigPath;
  readonly value: unknown;
  readonly source: ValueSource;
}

/**
 * Sets a value in a tree, making the objects on the way. A list takes a new item only at its end.
 *
 * @returns the path of what is in the way (a leaf, or a list without that position); undefined when the value is set.
 */
export function assign(tree: PlainObject, path: ConfigPath, value: unknown): ConfigPath | undefined {
  let holder: PlainObject | unknown[] = tree;
  for (const [depth, key] of path.entries()) {
    if (Array.isArray(holder) && !(/^\d+$/.test(key) && Number(key) <= holder.length))
      return path.slice(0, depth);
    if (depth === path.length - 1) {
      setOwn(holder, key, value);
      return undefined;
    }
    let next: unknown = Object.hasOwn(holder, key) ? (holder as PlainObject)[key] : undefined;
    if (next === undefined || next === null) {
      next = {};
      setOwn(holder, key, next);
    }
    if (!isPlainObject(next) && !Array.isArray(next)) return path.slice(0, depth + 1);
    holder = next;
  }
  return path;
}
