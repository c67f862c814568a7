import type { Clock } from '../workflow/index.js';

export interface HookWatchParts {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long a hook may run before it is named; `null` names none. */
  readonly slowMs: number | null;
  /** @param ms  how long it has run, without pauses. */
  readonly tell: (ms: number, isStillRunning: boolean) => void;
}

/**
 * Watches one call of a hook. It is named after `slowMs`, and again each time the time it runs has doubled. One that held up
 * the whole program, so that no timer could fire, is named at its end.
 *
 * The timer keeps the process alive: a hook that waits for nothing that can happen would else end it before being named.
 */
export class HookWatch {
  readonly #parts: HookWatchParts;
  /** How long it will have run when it is named next. */
  #due: number;
  #ranMs = 0;
  #since = 0;
  #cancel: (() => void) | undefined;

  constructor(parts: HookWatchParts) {
    this.#parts = parts;
    this.#due = parts.slowMs ?? Number.POSITIVE_INFINITY;
  }

  /** Starts the watch, or goes on after a pause. */
  start(): void {
    if (this.#due === Number.POSITIVE_INFINITY || this.#cancel !== undefined) return;
    this.#since = this.#parts.now();
    this.#wait(Math.max(0, this.#due - this.#ranMs));
  }

  /** For the time in which the hook waits for the run, and not the run for the hook. */
  pause(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#ranMs += this.#parts.now() - this.#since;
  }

  end(): void {
    this.pause();
    const { slowMs, tell } = this.#parts;
    if (slowMs !== null && this.#due === slowMs && this.#ranMs >= slowMs) tell(this.#ranMs, false);
  }

  #wait(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => {
      const ran = this.#due;
      this.#due *= 2;
      this.#wait(ran);
      this.#parts.tell(ran, true);
    });
  }
}
