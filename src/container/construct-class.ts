import 'reflect-metadata';
import { type DependencyContainer, injectable } from 'tsyringe';
import { messageOf, RllmError } from '../errors.js';
import { resolveToken } from './resolve-token.js';
import type { Token } from './tokens.js';

/** Where tsyringe keeps the tokens of `@inject`, by parameter position. All its copies use this key. */
const INJECTED = 'injectionTokens';

/**
 * Builds an estimator or grouping hook of a class: with what its `static inject = [TOKEN, …]` lists, else with what
 * `@inject(TOKEN)` says of every constructor parameter, else without arguments.
 *
 * Types of parameters are never read: under `import type`, and in JavaScript, there are none.
 *
 * @throws RllmError INJECTION_FAILED when a parameter has no token, a token is not bound, or the constructor throws.
 */
export function constructClass<T>(
  container: DependencyContainer,
  target: abstract new (...args: never[]) => T,
): T {
  const Class = target as new (...args: unknown[]) => T;
  const listed = (target as { readonly inject?: unknown }).inject;
  try {
    if (Array.isArray(listed)) {
      return new Class(...listed.map((token: Token<unknown>) => resolveToken(container, token)));
    }
    if (hasTokenForEach(target)) {
      // Makes the class known to this copy of tsyringe, whichever copy decorated it.
      injectable()(Class);
      return resolveToken(container, Class);
    }
    if (target.length === 0) return new Class();
  } catch (cause) {
    if (RllmError.isInstance(cause)) throw cause;
    throw new RllmError(
      'INJECTION_FAILED',
      `The constructor of class ${target.name} threw: ${messageOf(cause)}`,
      { cause },
    );
  }
  throw new RllmError(
    'INJECTION_FAILED',
    `The constructor of class ${target.name} takes ${target.length} arguments, and not each of them has a token.`,
  );
}

// biome-ignore lint/complexity/noBannedTypes: `Function` is what an abstract class is to Reflect.
function hasTokenForEach(target: Function): boolean {
  const tokens = Reflect.getOwnMetadata(INJECTED, target) as Readonly<Record<string, unknown>> | undefined;
  if (tokens === undefined) return false;
  return Array.from({ length: target.length }, (_, i) => String(i) in tokens).every(Boolean);
}
