import type * as z from 'zod';
import { nearest } from '../nearest.js';
import type { ConfigFault } from './config-fault.js';
import { type ConfigPath, formatPath } from './config-path.js';
import { choicesOf, expectedOf } from './expected.js';
import { childOf, isPlainObject, valueAt } from './plain-tree.js';
import { fieldsOf, knownPaths, schemaAt } from './schema-at.js';

/** A fault without its place. */
export type BareFault = Omit<ConfigFault, 'file' | 'line' | 'column' | 'where' | 'path' | 'given'>;

export interface FaultAt {
  readonly path: ConfigPath;
  readonly fault: BareFault;
}

/** What zod found, in our words: one fault per unknown key, and one per wrong value. */
export function issueFaults(issue: z.core.$ZodIssue, tree: unknown): readonly FaultAt[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], fault: unknownKey(path, key, tree) }));
  }
  const schema = schemaAt(path);
  const value = valueAt(tree, path);
  if (issue.code === 'invalid_key') return [{ path, fault: { message: 'a name must not be empty' } }];
  const expected = issue.code === 'invalid_format' ? issue.message : schema && expectedOf(schema);
  if (value === undefined) return [{ path, fault: { message: 'missing', expected } }];
  const choices = schema === undefined ? [] : (choicesOf(schema) ?? []);
  const near = typeof value === 'string' ? nearest(value, choices) : undefined;
  // Where the schema has the reason for a refusal, it is said in place of zod's words.
  const reason = issue.code === 'invalid_value' && !issue.message.startsWith('Invalid') ? issue.message : '';
  return [{ path, fault: { message: reason, expected, nearest: near } }];
}

/** Keys that no object may have, at any depth: code that merges options must not meet them. */
export function forbiddenKeys(tree: unknown, path: ConfigPath = []): readonly FaultAt[] {
  if (!isPlainObject(tree) && !Array.isArray(tree)) return [];
  return Object.keys(tree).flatMap((key) => {
    const inner = [...path, key];
    if (key === '__proto__') return [{ path: inner, fault: { message: 'this key is not allowed' } }];
    return forbiddenKeys(childOf(tree, key), inner);
  });
}

function unknownKey(path: ConfigPath, key: string, tree: unknown): BareFault {
  const schema = schemaAt(path, tree);
  const fields = (schema === undefined ? [] : fieldsOf(schema)) ?? [];
  const allowed = fields.filter((field) => field !== '$schema');
  const sibling = nearest(key, allowed);
  const expected = `one of ${allowed.join(', ')}`;
  return { message: `unknown key "${key}"`, expected, nearest: sibling ?? elsewhere(key) };
}

/** The path of a field of that name in another section. */
function elsewhere(key: string): string | undefined {
  const plain = (name: string): string => name.replace(/[^a-z0-9]/gi, '').toLowerCase();
  const path = knownPaths().find((candidate) => plain(candidate.at(-1) ?? '') === plain(key));
  return path === undefined ? undefined : formatPath(path);
}
