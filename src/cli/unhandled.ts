import { awaitedParts } from '../awaited-parts.js';
import { messageOf, RllmError } from '../errors.js';

type Listener = (error: RllmError) => void;

let listener: Listener | undefined;

/**
 * Has somebody told of what is thrown where nobody waits for it, in a timer of an agent or in a promise that it left alone, in place of
 * ending the process.
 *
 * @returns ends that.
 */
export function onUnhandled(told: Listener): () => void {
  listener = told;
  return () => {
    listener = undefined;
  };
}

/** @returns false when nobody wants to be told */
export function tellUnhandled(thrown: unknown): boolean {
  listener?.(unhandledError(thrown));
  return listener !== undefined;
}

export function unhandledError(thrown: unknown): RllmError {
  return new RllmError('UNHANDLED_ERROR', `Thrown where nobody waits for it: ${messageOf(thrown)}`, {
    cause: thrown,
  });
}

/** For a command that waits although no timer, file or connection is left that could go on with it. */
export function neverSettledError(): RllmError {
  const parts = awaitedParts();
  const what = parts.length === 0 ? 'the command' : parts.join(' and ');
  return new RllmError(
    'NEVER_SETTLED',
    `T${what.slice(1)} never finished: a promise is awaited that nothing is left to settle.`,
  );
}
