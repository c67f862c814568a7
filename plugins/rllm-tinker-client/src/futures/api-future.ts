import type { Lifetime, Scope } from '../transport/lifetime.js';

/**
 * A call that the engine takes some time for. It is submitted in its turn at once, whether or not anybody awaits it; awaiting gives the
 * result. A failure is told to those who await and never ends the process as an unhandled rejection, so that a step can
 * be submitted whole (`forwardBackward`, then `optimStep`) before its parts are awaited.
 */
export class ApiFuture<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'ApiFuture';
  /** Resolves when the engine accepted the request; rejects when it never did. */
  readonly submitted: Promise<void>;
  readonly #result: Promise<T>;

  constructor(submitted: Promise<void>, result: Promise<T>) {
    this.submitted = submitted;
    this.#result = result;
    submitted.catch(() => {});
    result.catch(() => {});
  }

  /**
   * Runs `work` until it is over, the caller aborts or the client closes.
   *
   * @internal
   */
  static start<T>(
    lifetime: Lifetime,
    signal: AbortSignal | undefined,
    work: (scope: Scope, onSubmitted: () => void) => Promise<T>,
  ): ApiFuture<T> {
    let onSubmitted = (): void => {};
    const accepted = new Promise<void>((resolve) => {
      onSubmitted = resolve;
    });
    const result = lifetime.within(signal, (scope) => work(scope, onSubmitted));
    const never = result.then(() => {});
    return new ApiFuture(Promise.race([accepted, never]), result);
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = T, B = never>(
    onResult?: ((value: T) => A | PromiseLike<A>) | null,
    onFailure?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(onResult, onFailure);
  }

  catch<B = never>(onFailure?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#result.catch(onFailure);
  }

  finally(run?: (() => void) | null): Promise<T> {
    return this.#result.finally(run);
  }

  /** The same submission with its result changed by `change`. */
  map<U>(change: (value: T) => U | PromiseLike<U>): ApiFuture<U> {
    return new ApiFuture(this.submitted, this.#result.then(change));
  }
}
