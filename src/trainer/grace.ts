import { nextTurn } from '../next-turn.js';
import type { Clock } from '../workflow/index.js';

/** How long a run that shall end at once still waits for what it can neither stop nor leave at once. */
export const GRACE_MS = 2_000;

/** How long a run waits for what it can do without. */
export const PATIENCE_MS = 10_000;

export interface GraceParts {
  readonly clock: Clock;
  /** Fires when the run shall end at once. */
  readonly abort: AbortSignal;
  /** Waits no longer in any case; for as long as it takes by default. */
  readonly patienceMs?: number;
}

/** What was waited for had not ended in time. */
export class GivenUp extends Error {
  /** @param since  names the moment from which the time counts. */
  constructor(ms: number, since: string) {
    super(`it had not ended ${ms / 1000} s after ${since}`);
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
  { clock, abort, patienceMs }: GraceParts,
  graceMs: number = GRACE_MS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancels: (() => void)[] = [];
    const end = (): void => {
      abort.removeEventListener('abort', onAbort);
      for (const cancel of cancels) cancel();
    };
    const giveUp = (given: GivenUp): void => {
      end();
      reject(given);
    };
    const onAbort = (): void => {
      const given = new GivenUp(graceMs, 'the run was to end at once');
      if (graceMs === 0) void nextTurn().then(() => giveUp(given));
      else cancels.push(clock.after(graceMs, () => giveUp(given)));
    };
    if (patienceMs !== undefined) {
      cancels.push(clock.after(patienceMs, () => giveUp(new GivenUp(patienceMs, 'it was called'))));
    }
    if (abort.aborted) onAbort();
    else abort.addEventListener('abort', onAbort, { once: true });
    Promise.resolve(work).finally(end).then(resolve, reject);
  });
}
