import type { Assignment } from './assignment.js';
import { type ConfigPath, formatPath } from './config-path.js';
import { valueAt } from './plain-tree.js';
import { HIDDEN } from './secrets.js';
import type { TextPosition } from './text-position.js';
import { FROM_CODE, type ValueSource } from './value-source.js';

/** What a value may come from, but for defaults. */
export interface Origins {
  /** The file that `base` was read from; null for code. */
  readonly file: string | null;
  /** The file's content, with variables put in. */
  readonly base: unknown;
  /** Texts before variables were put in, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** What was set on top, in order. */
  readonly assignments: readonly Assignment[];
  locate(path: ConfigPath): TextPosition | undefined;
}

/** Source of a value; undefined when it was written nowhere, so that it has its default. */
export function sourceIn(origins: Origins, path: ConfigPath): ValueSource | undefined {
  const assigned = origins.assignments.findLast((assignment) => startsWith(path, assignment.path));
  if (assigned !== undefined) return partOf(assigned, path);
  return valueAt(origins.base, path) === undefined ? undefined : baseSource(origins, path);
}

/** Source of a value, or of what it is missing from: where a person would look. */
export function nearestSource(origins: Origins, path: ConfigPath): ValueSource {
  for (let at = path; at.length > 0; at = at.slice(0, -1)) {
    const below = origins.assignments.findLast((assignment) => startsWith(assignment.path, at));
    const source = sourceIn(origins, at) ?? below?.source;
    if (source !== undefined) return source;
  }
  return baseSource(origins, []);
}

export function startsWith(path: ConfigPath, prefix: ConfigPath): boolean {
  return prefix.length <= path.length && prefix.every((key, i) => path[i] === key);
}

function baseSource({ file, texts, locate }: Origins, path: ConfigPath): ValueSource {
  if (file === null) return FROM_CODE;
  const text = texts.get(formatPath(path));
  return { from: 'file', where: file, ...locate(path), ...(text === undefined ? {} : { text }) };
}

/** A part of an assigned value has no text of its own to be printed as. */
function partOf({ path: whole, source }: Assignment, path: ConfigPath): ValueSource {
  return source.text === undefined || whole.length === path.length ? source : { ...source, text: HIDDEN };
}
