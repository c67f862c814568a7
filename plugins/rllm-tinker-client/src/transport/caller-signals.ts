import { TinkerError } from '../errors.js';

/** The calls that listen to one signal, behind one listener: Node warns of a leak at the eleventh. */
interface Listeners {
  readonly controllers: Set<AbortController>;
  readonly onAbort: () => void;
}

/** Passes the callers' signals on to their calls. */
export class CallerSignals {
  readonly #listeners = new Map<AbortSignal, Listeners>();

  /** Aborts the controller, with a TinkerError of code ABORTED, when the signal aborts or if it has already. */
  join(signal: AbortSignal, controller: AbortController): void {
    if (signal.aborted) {
      controller.abort(abortedBy(signal));
      return;
    }
    const known = this.#listeners.get(signal) ?? this.#listen(signal);
    known.controllers.add(controller);
  }

  leave(signal: AbortSignal, controller: AbortController): void {
    const known = this.#listeners.get(signal);
    known?.controllers.delete(controller);
    if (known?.controllers.size !== 0) return;
    signal.removeEventListener('abort', known.onAbort);
    this.#listeners.delete(signal);
  }

  #listen(signal: AbortSignal): Listeners {
    const controllers = new Set<AbortController>();
    const onAbort = (): void => {
      this.#listeners.delete(signal);
      for (const controller of controllers) controller.abort(abortedBy(signal));
    };
    const made = { controllers, onAbort };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#listeners.set(signal, made);
    return made;
  }
}

function abortedBy(signal: AbortSignal): TinkerError {
  return new TinkerError('ABORTED', 'The call was aborted.', { cause: signal.reason });
}
