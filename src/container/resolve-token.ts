import type { DependencyContainer } from 'tsyringe';
import { messageOf, RllmError } from '../errors.js';
import type { Token } from './tokens.js';

/** A circular dependency overflows the stack, and tsyringe then makes a message of megabytes. */
const LONGEST_MESSAGE = 500;

/**
 * The part that a token names.
 *
 * @throws RllmError INJECTION_FAILED when nothing is bound or a part cannot be built; errors of the SDK pass as they are.
 */
export function resolveToken<T>(container: DependencyContainer, token: Token<T>): T {
  try {
    return container.resolve(token);
  } catch (thrown) {
    if (RllmError.isInstance(thrown)) throw thrown;
    const message = messageOf(thrown);
    const isLong = message.length > LONGEST_MESSAGE;
    const shown = isLong
      ? `${message.slice(0, LONGEST_MESSAGE)} … (${message.length} characters; do parts need each other in a circle?)`
      : message;
    throw new RllmError(
      'INJECTION_FAILED',
      `${nameOf(token)} cannot be built: ${shown}`,
      isLong ? {} : { cause: thrown },
    );
  }
}

function nameOf(token: Token<unknown>): string {
  if (typeof token === 'symbol') return token.description ?? 'A part';
  if (typeof token === 'string') return token;
  return typeof token === 'function' ? token.name : 'A part';
}
