import { messageOf } from './errors.js';
import type { StandardIssue, StandardResult, StandardSchema } from './standard-schema.js';

/** One thing wrong with options; `at` continues the path of the options: `.lr`, `.layers[2].size`. */
export interface OptionProblem {
  readonly at: string;
  readonly message: string;
  readonly cause?: unknown;
}

export type CheckedOptions =
  | { readonly value: unknown; readonly problems: readonly [] }
  | { readonly value: undefined; readonly problems: readonly OptionProblem[] };

/** Options as a schema of any library sees them, sync or async. A schema that throws is a problem like any other. */
export async function checkOptions(
  schema: StandardSchema,
  options: Readonly<Record<string, unknown>>,
): Promise<CheckedOptions> {
  try {
    return outcomeOf(await schema['~standard'].validate(options));
  } catch (cause) {
    return threw(cause);
  }
}

/** As `checkOptions`, at once; a schema that is async is a problem. */
export function checkOptionsNow(
  schema: StandardSchema,
  options: Readonly<Record<string, unknown>>,
): CheckedOptions {
  try {
    const result = schema['~standard'].validate(options);
    if (!(result instanceof Promise)) return outcomeOf(result);
    result.catch(() => undefined);
    const message = 'could not be checked; the schema is async, and only an app that is being created waits';
    return { value: undefined, problems: [{ at: '', message }] };
  } catch (cause) {
    return threw(cause);
  }
}

/** Options of a part without a schema: there can be none, since nobody would say what they mean. */
export function withoutOptions(given: Readonly<Record<string, unknown>>, message: string): CheckedOptions {
  const problems = Object.keys(given).map((key) => ({ at: `.${key}`, message }));
  return problems.length > 0 ? { value: undefined, problems } : { value: NO_OPTIONS, problems: [] };
}

const NO_OPTIONS: Readonly<Record<string, unknown>> = Object.freeze({});

function outcomeOf(result: StandardResult<unknown>): CheckedOptions {
  if (result.issues === undefined) return { value: result.value, problems: [] };
  return { value: undefined, problems: result.issues.map(problemOf) };
}

function threw(cause: unknown): CheckedOptions {
  const message = `could not be checked; the schema threw: ${messageOf(cause)}`;
  return { value: undefined, problems: [{ at: '', message, cause }] };
}

/** How zod says that something is not there; other libraries have words of their own. */
const ABSENT = /^Invalid input: expected (.+), received undefined$/;

function problemOf(issue: StandardIssue): OptionProblem {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  const at = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return { at, message: issue.message.replace(ABSENT, 'missing; expected $1') };
}
