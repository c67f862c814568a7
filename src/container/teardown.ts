import { messageOf, RllmError } from '../errors.js';

/** What an app must release, last in first out. */
export class Teardown {
  readonly #steps: { readonly name: string; readonly dispose: () => void | Promise<void> }[] = [];
  #done: Promise<void> | undefined;
  #isOver = false;

  /** Whether `dispose` was called. */
  get isDisposed(): boolean {
    return this.#done !== undefined;
  }

  /**
   * A step that comes after all have run is run at once, as nobody else would; the next `dispose` tells of its failure.
   *
   * @param name  what the step releases, for messages.
   */
  defer(name: string, dispose: () => void | Promise<void>): void {
    this.#steps.push({ name, dispose });
    if (!this.#isOver) return;
    this.#isOver = false;
    this.#done = this.#run();
    this.#done.catch(() => undefined);
  }

  /**
   * Runs every step, also those deferred meanwhile; a second call waits for the first.
   *
   * @throws RllmError TEARDOWN_FAILED after all steps ran, when some of them threw.
   */
  dispose(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    const failures: { readonly name: string; readonly cause: unknown }[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step.dispose();
      } catch (cause) {
        failures.push({ name: step.name, cause });
      }
    }
    this.#isOver = true;
    const [first] = failures;
    if (first === undefined) return;
    const lines = failures.map(({ name, cause }) => `${name}: ${messageOf(cause)}`);
    throw new RllmError('TEARDOWN_FAILED', `Not everything could be released. ${lines.join('; ')}`, {
      cause: first.cause,
    });
  }
}
