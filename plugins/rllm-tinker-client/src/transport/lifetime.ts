import { setMaxListeners } from 'node:events';
import { TinkerError } from '../errors.js';
import { CallerSignals } from './caller-signals.js';

/** What one call listens to: the caller's signal and the client's end, as one signal. */
export interface Scope {
  /** Aborts with a TinkerError of code ABORTED or CLOSED. */
  readonly signal: AbortSignal;
  /** Settles as `work` does, or rejects as soon as the signal aborts. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Lets go of the caller's signal and stops what still runs; called once the call is over. */
  end(): void;
}

/** One for all: nobody sees it, and an error costs a stack. */
const OVER = new TinkerError('ABORTED', 'The call is over.');

/** The time from a client's first call to its close. */
export class Lifetime {
  readonly #open = new Set<AbortController>();
  readonly #callers = new CallerSignals();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  /** @throws TinkerError CLOSED after the end. */
  scope(caller?: AbortSignal): Scope {
    if (this.#closed) throw closedError();
    const controller = new AbortController();
    // All requests of one call listen to it.
    setMaxListeners(0, controller.signal);
    if (caller !== undefined) this.#callers.join(caller, controller);
    this.#open.add(controller);
    const { signal } = controller;
    return {
      signal,
      race: (work) => raceSignal(work, signal),
      end: () => {
        this.#open.delete(controller);
        if (caller !== undefined) this.#callers.leave(caller, controller);
        // Polls of a call whose other part failed.
        controller.abort(OVER);
      },
    };
  }

  /** Runs `work` in a scope of its own. */
  async within<T>(caller: AbortSignal | undefined, work: (scope: Scope) => Promise<T>): Promise<T> {
    const scope = this.scope(caller);
    try {
      return await scope.race(work(scope));
    } finally {
      scope.end();
    }
  }

  /** Aborts every open scope. */
  close(): void {
    this.#closed = true;
    for (const controller of this.#open) controller.abort(closedError());
    this.#open.clear();
  }
}

function closedError(): TinkerError {
  return new TinkerError('CLOSED', 'The client is closed.');
}

function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
