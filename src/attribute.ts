import { type ErrorCode, messageOf, RllmError } from './errors.js';

/** A part of an app, and who brought it, for messages. */
export interface Attribution {
  /** Kind and name: `backend "local"`. */
  readonly what: string;
  /** As in a registry; absent for what was given in code. */
  readonly owner?: string | undefined;
}

/** `The backend "x" of rllm-plugin-y@1.0.0`. What the SDK brings itself, and what was given in code, needs no owner. */
export function nameOf({ what, owner }: Attribution): string {
  return isPlugin(owner) ? `The ${what} of ${owner}` : `The ${what}`;
}

/**
 * What a part threw, as an error that names the part. An error of the SDK keeps its code and its details, and is told as it is
 * where no plugin is to blame, or its message names the part already. What tells of an abort stays as it is.
 *
 * @param verb  what it did, for anything but an error of the SDK: `threw in start()`.
 */
export function attributed(thrown: unknown, part: Attribution, verb: string, code: ErrorCode): unknown {
  if (thrown instanceof Error && thrown.name === 'AbortError') return thrown;
  const who = nameOf(part);
  if (!RllmError.isInstance(thrown)) {
    return new RllmError(code, `${who} ${verb}: ${messageOf(thrown)}`, { cause: thrown });
  }
  if (thrown.code === 'ABORTED' || !isPlugin(part.owner) || thrown.message.includes(who)) return thrown;
  return new RllmError(thrown.code, `${who}: ${thrown.message}`, { cause: thrown, details: thrown.details });
}

function isPlugin(owner: string | undefined): boolean {
  return owner !== undefined && owner !== 'built-in' && owner !== 'program';
}
