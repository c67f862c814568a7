import * as z from 'zod';
import { nearest } from '../nearest.js';
import type { Assignment } from './assignment.js';
import type { ConfigFault } from './config-fault.js';
import type { ConfigPath } from './config-path.js';
import { configSchema } from './config-schema.js';
import type { Environment } from './interpolate.js';
import { childOf, keysOf } from './plain-tree.js';
import { readText } from './read-text.js';
import { bare, fieldsOf, knownPaths, schemaAt, schemaOfChild } from './schema-at.js';

const PREFIX = 'RLLM_';

/** Variables of rLLM's Python package, which may be set beside ours and are not config. */
export const FOREIGN_VARIABLES: readonly string[] = [
  'RLLM_HOME',
  'RLLM_API_KEY',
  'RLLM_UI_URL',
  'RLLM_UI_HTTP_TIMEOUT_S',
];

/** Says how the config is read, and is not config itself. */
const DATA_ONLY = 'RLLM_CONFIG_DATA_ONLY';

/** Whether `RLLM_CONFIG_DATA_ONLY` is set to anything but `0`, `false` or nothing. */
export function asksForDataOnly(env: Environment): boolean {
  return !['', '0', 'false'].includes(env[DATA_ONLY] ?? '');
}

/** `RLLM_ALGORITHM__ADAM__BETA1` for `algorithm.adam.beta1`. */
export function variableOf(path: ConfigPath): string {
  return PREFIX + path.map(screamingSnake).join('__');
}

/**
 * Reads the variables `RLLM_…`: two underscores between levels, one between the words of a field.
 *
 * Where any key may stand (roles, options), a key of the config file that is spelled so wins; else a segment with a small
 * letter is the key itself (`RLLM_ALGORITHM__ESTIMATOR_MAP__my_judge`), and `JUDGE_A` means `judgeA`.
 *
 * @param tree  the config file, for the keys it has.
 */
export function readEnvironment(
  env: Environment,
  tree: unknown,
): { readonly assignments: readonly Assignment[]; readonly faults: readonly ConfigFault[] } {
  const assignments: Assignment[] = [];
  const faults: ConfigFault[] = [];
  for (const [variable, text] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (text === undefined || !variable.startsWith(PREFIX) || variable === DATA_ONLY) continue;
    if (FOREIGN_VARIABLES.includes(variable)) continue;
    const path = pathOf(variable, tree);
    if (path === undefined) faults.push(unknownVariable(variable));
    else {
      const source = { from: 'environment', where: variable, text: `\${${variable}}` } as const;
      assignments.push({ path, value: readText(text, schemaAt(path)), source });
    }
  }
  return { assignments: assignments.sort((a, b) => a.path.length - b.path.length), faults };
}

function pathOf(variable: string, tree: unknown): ConfigPath | undefined {
  const path: string[] = [];
  let schema: z.core.$ZodType = configSchema;
  let present = tree;
  for (const segment of variable.slice(PREFIX.length).split('__')) {
    const key = keyOf(segment, schema, present);
    const child = key === undefined ? undefined : schemaOfChild(schema, key);
    if (key === undefined || child === undefined) return undefined;
    path.push(key);
    schema = child;
    present = childOf(present, key);
  }
  return path;
}

function keyOf(segment: string, schema: z.core.$ZodType, present: unknown): string | undefined {
  if (segment === '') return undefined;
  if (bare(schema).schema instanceof z.ZodArray) return /^\d+$/.test(segment) ? segment : undefined;
  const fields = fieldsOf(schema);
  const known = (fields ?? keysOf(present)).find((key) => screamingSnake(key) === segment);
  if (known !== undefined || fields !== undefined) return known;
  if (/[a-z]/.test(segment)) return segment;
  return segment.toLowerCase().replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function unknownVariable(variable: string): ConfigFault {
  return {
    file: null,
    where: variable,
    path: '',
    message: 'this variable sets nothing in the configuration',
    nearest: nearest(variable, knownPaths().map(variableOf)),
  };
}

function screamingSnake(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}
