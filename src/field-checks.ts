import { suggestion } from './nearest.js';

/** Says what is wrong with a value, as the end of a sentence, or nothing. */
export type Check = (value: unknown) => string | undefined;

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

export const text: Check = (value) =>
  typeof value === 'string' && value.trim() !== ''
    ? undefined
    : `must be a text that is not empty, got ${show(value)}`;

export const flag: Check = (value) =>
  typeof value === 'boolean' ? undefined : `must be true or false, got ${show(value)}`;

export const callable: Check = (value) =>
  typeof value === 'function' ? undefined : `must be a function, got ${show(value)}`;

export const schema: Check = (value) =>
  (isObject(value) || typeof value === 'function') &&
  isObject((value as Record<string, unknown>)['~standard']) &&
  typeof (value as { '~standard': Record<string, unknown> })['~standard']['validate'] === 'function'
    ? undefined
    : `must be a Standard Schema (zod, valibot and arktype make them), got ${show(value)}`;

/** A value that a test holds for. */
export const that =
  (isRight: (value: unknown) => boolean, expected: string): Check =>
  (value) =>
    isRight(value) ? undefined : `must be ${expected}, got ${show(value)}`;

export const string: Check = that((value) => typeof value === 'string', 'a text');

export const oneOf =
  (...names: readonly string[]): Check =>
  (value) => {
    if (typeof value === 'string' && names.includes(value)) return undefined;
    return `is ${show(value)}. ${suggestion(String(value), names)}`;
  };

export const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return `must be a list, got ${show(value)}`;
    const wrong = value.map(check).find((message) => message !== undefined);
    return wrong === undefined ? undefined : `has one that ${wrong}`;
  };

/** One thing wrong with a field; `at` is empty for the object as a whole. */
export interface FieldProblem {
  readonly at: string;
  /** As the end of a sentence that begins with the field. */
  readonly message: string;
}

/** What is wrong with the fields of an object: one that is unknown, one of another type. Undefined is absent. */
export function fieldProblems(
  value: unknown,
  checks: Readonly<Record<string, Check>>,
): readonly FieldProblem[] {
  if (!isObject(value) || Array.isArray(value))
    return [{ at: '', message: `must be an object, got ${show(value)}` }];
  return Object.entries(value).flatMap(([at, field]) => {
    if (!Object.hasOwn(checks, at))
      return [{ at, message: `is nothing that it takes. ${suggestion(at, Object.keys(checks))}` }];
    const message = field === undefined ? undefined : checks[at]?.(field);
    return message === undefined ? [] : [{ at, message }];
  });
}

/** The same as text, a sentence for each. */
export function fieldSentences(value: unknown, checks: Readonly<Record<string, Check>>): readonly string[] {
  return fieldProblems(value, checks).map(({ at, message }) => {
    const sentence = `${at === '' ? 'what it is given' : at} ${message}`;
    return sentence.endsWith('.') ? sentence : `${sentence}.`;
  });
}

/** A value in a few words. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
