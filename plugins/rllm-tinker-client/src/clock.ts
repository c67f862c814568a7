import { setTimeout as delay } from 'node:timers/promises';

/** Time as the client sees it, so that tests need not wait. */
export interface Clock {
  /** Milliseconds from any origin, never going back. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms`, without keeping the process alive; returns what cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (thrown) {
      throw signal?.aborted === true ? signal.reason : thrown;
    }
  },
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
