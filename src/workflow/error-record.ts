import { RllmError } from '../errors.js';

/** An error as plain JSON, as it stays in `episode.info.error`. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** Code of an error of the SDK, or whatever `code` the thrown error has. */
  readonly code?: string;
  readonly cause?: ErrorRecord;
}

/** Causes further down than this are left out. */
const DEEPEST_CAUSE = 5;

/** Anything that was thrown, as plain JSON; never throws itself. */
export function errorRecord(thrown: unknown, depth = 0): ErrorRecord {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: textOf(thrown) };
  const code: unknown = RllmError.isInstance(thrown) ? thrown.code : Reflect.get(thrown, 'code');
  return {
    name: thrown.name,
    message: thrown.message,
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack }),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    ...(thrown.cause === undefined || depth >= DEEPEST_CAUSE
      ? {}
      : { cause: errorRecord(thrown.cause, depth + 1) }),
  };
}

/** What a thrown value that is no error says: objects as JSON where they have any. */
function textOf(thrown: unknown): string {
  try {
    return typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
