import { awaiting } from '../awaited-parts.js';
import type { Backend } from './backend.js';

/** Waits for a call of a backend, and is known to wait for it. */
export function awaitBackend<T>(
  backend: Backend,
  call: keyof Backend & string,
  run: () => Promise<T> | T,
): Promise<T> {
  return awaiting(`the ${call}() of backend "${backend.name}"`, run);
}
