import type { ConfigPath } from './config-path.js';

export type PlainObject = { [key: string]: unknown };

/** An object literal, of this realm or another; an instance of a class is opaque to the config. */
export function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The keys of an object or the positions of a list; none for a leaf. */
export function keysOf(value: unknown): readonly string[] {
  return Array.isArray(value) || isPlainObject(value) ? Object.keys(value) : [];
}

/** The value under one key of a list or an object; undefined where there is none, and for inherited ones. */
export function childOf(value: unknown, key: string): unknown {
  if (!(Array.isArray(value) || isPlainObject(value)) || !Object.hasOwn(value, key)) return undefined;
  return (value as PlainObject)[key];
}

export function valueAt(tree: unknown, path: ConfigPath): unknown {
  return path.reduce(childOf, tree);
}

/** Defines rather than assigns, so that a key `__proto__` stays an ordinary key, to be refused later. */
export function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * A copy with each leaf replaced by what `mapLeaf` makes of it. Undefined fields are left out. A list or object that
 * holds itself is handed to `mapLeaf` where it meets itself.
 */
export function mapTree(
  tree: unknown,
  mapLeaf: (leaf: unknown, path: ConfigPath) => unknown,
  path: ConfigPath = [],
  ancestors: readonly unknown[] = [],
): unknown {
  if (ancestors.includes(tree) && typeof tree === 'object') return mapLeaf(tree, path);
  const inner = [...ancestors, tree];
  if (Array.isArray(tree)) return tree.map((item, i) => mapTree(item, mapLeaf, [...path, String(i)], inner));
  if (!isPlainObject(tree)) return mapLeaf(tree, path);
  const copy = {};
  for (const [key, value] of Object.entries(tree)) {
    if (value !== undefined) setOwn(copy, key, mapTree(value, mapLeaf, [...path, key], inner));
  }
  return copy;
}

/** A copy in which lists and plain objects are new. */
export function copyTree(tree: unknown): unknown {
  return mapTree(tree, (leaf) => leaf);
}

/** Every value that is not a list or object with content, with its path. */
export function leavesOf(
  tree: unknown,
  path: ConfigPath = [],
): readonly { path: ConfigPath; value: unknown }[] {
  const keys = keysOf(tree);
  if (keys.length === 0) return [{ path, value: tree }];
  return keys.flatMap((key) => leavesOf(childOf(tree, key), [...path, key]));
}

/** Freezes lists and plain objects all the way down; class instances are left alone. */
export function freezeTree<T>(tree: T): T {
  for (const key of keysOf(tree)) freezeTree(childOf(tree, key));
  return Array.isArray(tree) || isPlainObject(tree) ? Object.freeze(tree) : tree;
}
