import type { Clock } from '../clock.js';

/**
 * Time for tests: a sleep is over at once, and noted; timers (time-outs, heartbeats) run when the test moves the time on.
 */
export class TestClock implements Clock {
  /** Every sleep so far, in ms. */
  readonly sleeps: number[] = [];
  readonly #timers = new Set<{ readonly due: number; readonly run: () => void }>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleeps.push(ms);
    this.#now += ms;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }

  after(ms: number, run: () => void): () => void {
    const timer = { due: this.#now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass: runs the timers that are due, in the order of their times. */
  advance(ms: number): void {
    this.#now += ms;
    const due = [...this.#timers].filter((timer) => timer.due <= this.#now).sort((a, b) => a.due - b.due);
    for (const timer of due) {
      if (this.#timers.delete(timer)) timer.run();
    }
  }
}
