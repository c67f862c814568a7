import type { AlgorithmConfig } from '../config/types.js';
import { RllmError } from '../errors.js';
import { ownValue } from '../own-value.js';

/** One estimator with its settings, as a column of a comparison. */
export interface Column {
  /** What tables call it: the name, with the options that were given for this column. */
  readonly label: string;
  readonly name: string;
  /** On top of `algorithm.estimatorOptions[name]`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Reads `grpo`, or `NAME:OPTION=VALUE,…` so that one estimator can stand beside itself: `grpo_scaled:scale=batch,ddof=1`.
 * Values are JSON where they can be, else text.
 *
 * @throws RllmError USAGE
 */
export function parseColumn(text: string): Column {
  const [name = '', ...rest] = text.split(':');
  const given = rest.join(':');
  if (name === '' || (rest.length > 0 && given === '')) throw malformed(text);
  const options = Object.fromEntries(
    given === '' ? [] : splitOutside(given).map((part) => option(part, text)),
  );
  return { label: text, name, options };
}

/** The algorithm that gives every role to the column's estimator; advantages of workflows and of runs do not count. */
export function algorithmOf({ name, options }: Column, algorithm: AlgorithmConfig): AlgorithmConfig {
  const own = { ...ownValue(algorithm.estimatorOptions, name), ...options };
  return {
    ...algorithm,
    estimator: name,
    estimatorMap: {},
    estimatorOptions: { ...algorithm.estimatorOptions, [name]: own },
    usePrecomputedAdvantage: false,
  };
}

function option(part: string, text: string): readonly [string, unknown] {
  const at = part.indexOf('=');
  const key = part.slice(0, at).trim();
  if (at < 1 || key === '') throw malformed(text);
  const value = part.slice(at + 1).trim();
  try {
    return [key, JSON.parse(value) as unknown];
  } catch {
    return [key, value];
  }
}

/** Splits at commas, but for those within brackets, braces and quotes of JSON. */
function splitOutside(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"' && text[at - 1] !== '\\') quoted = !quoted;
    else if (quoted) continue;
    else if ('[{'.includes(char)) depth++;
    else if (']}'.includes(char)) depth--;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function malformed(text: string): RllmError {
  return new RllmError('USAGE', `An estimator is given as NAME or NAME:OPTION=VALUE,…; given "${text}".`);
}
