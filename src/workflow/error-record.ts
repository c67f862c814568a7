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
export function errorRecord(thrown: unknown): ErrorRecord {
  try {
    return recordOf(thrown, 0);
  } catch {
    return { name: 'unknown', message: 'What was thrown throws when it is read.' };
  }
}

function recordOf(thrown: unknown, depth: number): ErrorRecord {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: textOf(thrown) };
  const code: unknown = RllmError.isInstance(thrown) ? thrown.code : Reflect.get(thrown, 'code');
  return {
    name: String(thrown.name),
    message: String(thrown.message),
    ...(typeof thrown.stack === 'string' ? { stack: thrown.stack } : {}),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    ...(thrown.cause === undefined || depth >= DEEPEST_CAUSE
      ? {}
      : { cause: recordOf(thrown.cause, depth + 1) }),
  };
}

/** What a thrown value that is no error says: objects as JSON where they have any. */
function textOf(thrown: unknown): string {
  try {
    return typeof thrown === 'object' ? String(JSON.stringify(thrown)) : String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
