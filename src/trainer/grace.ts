import { nextTurn } from '../next-turn.js';
import type { Clock } from '../workflow/index.js';

/** How long a run that shall end at once still waits for what it can neither stop nor leave at once. */
export const GRACE_MS = 2_000;

export interface GraceParts {
  readonly clock: Clock;
  /** Fires when the run shall end at once. */
  readonly abort: AbortSignal;
}

/** What was waited for had not ended in time. */
export class GivenUp extends Error {
  constructor() {
    super(`it had not ended ${GRACE_MS / 1000} s after the run was to end at once`);
  }
}

/**
 * Waits for `work`, once the run shall end at once for no longer than `graceMs`. Without a grace, what has ended by then still
 * counts as such.
 *
 * @throws GivenUp when it is waited for no more; whatever it does from then on is ignored.
 */
export function withinGrace<T>(
  work: T | PromiseLike<T>,
  { clock, abort }: GraceParts,
  graceMs: number = GRACE_MS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let cancel = (): void => undefined;
    const giveUp = (): void => reject(new GivenUp());
    const onAbort = (): void => {
      if (graceMs === 0) void nextTurn().then(giveUp);
      else cancel = clock.after(graceMs, giveUp);
    };
    if (abort.aborted) onAbort();
    else abort.addEventListener('abort', onAbort, { once: true });
    Promise.resolve(work)
      .finally(() => {
        abort.removeEventListener('abort', onAbort);
        cancel();
      })
      .then(resolve, reject);
  });
}
