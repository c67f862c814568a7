import { TinkerError } from '../errors.js';

/** The error of an answer that is not what the protocol says. */
export function invalidResponse(what: string, cause?: unknown): TinkerError {
  return new TinkerError('RESPONSE_INVALID', `The engine's answer is not as expected: ${what}.`, { cause });
}
