import { messageOf } from '../errors.js';
import type { StandardIssue, StandardSchema } from '../standard-schema.js';

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
    const result = await schema['~standard'].validate(options);
    if (result.issues === undefined) return { value: result.value, problems: [] };
    return { value: undefined, problems: result.issues.map(problemOf) };
  } catch (cause) {
    const message = `could not be checked; the schema threw: ${messageOf(cause)}`;
    return { value: undefined, problems: [{ at: '', message, cause }] };
  }
}

function problemOf(issue: StandardIssue): OptionProblem {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  const at = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return { at, message: issue.message };
}
