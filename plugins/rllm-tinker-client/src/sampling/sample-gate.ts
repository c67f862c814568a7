import type { Clock } from '../clock.js';
import { TinkerError } from '../errors.js';
import type { ClientLimits } from '../limits.js';
import type { TinkerLogger } from '../logger.js';
import { Budget } from '../transport/budget.js';
import type { HttpAnswer } from '../transport/http-answer.js';
import { retryAfterMs } from '../transport/retry-delay.js';

/** How long, after an engine said "too many", fewer submissions go out, and what a prompt then counts for. */
const THROTTLED_MS = 10_000;
const THROTTLED_SUBMITS = 10;
const THROTTLED_WEIGHT = 20;
const SMALL_PROMPT_BYTES = 128 * 1024;
const SMALL_PAUSE_MS = 1_000;
const LARGE_PAUSE_MS = 5_000;

/**
 * What all samplers of a client share: how many calls are out, how many submissions are on the wire, and the pause that an engine's "too
 * many requests" makes for all of them.
 */
export class SampleGate {
  readonly #clock: Clock;
  readonly #logger: TinkerLogger;
  readonly #submitLimit: number;
  readonly #resultTimeoutMs: number;
  readonly #calls: Budget;
  readonly #submits: Budget;
  readonly #bytes: Budget;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #throttledUntil = Number.NEGATIVE_INFINITY;
  /** When the engine last took a sample, or refused one otherwise than by 429. */
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(limits: ClientLimits, clock: Clock, logger: TinkerLogger) {
    this.#clock = clock;
    this.#logger = logger;
    this.#submitLimit = limits.concurrentSampleSubmits;
    this.#resultTimeoutMs = limits.resultTimeoutMs;
    this.#calls = new Budget(limits.concurrentSamples);
    this.#submits = new Budget(limits.concurrentSampleSubmits);
    this.#bytes = new Budget(limits.sampleSubmitBytes);
  }

  /** Waits for room for one call, from submission to result; returns what gives the room back. */
  enter(signal: AbortSignal): Promise<() => void> {
    return this.#calls.take(1, signal);
  }

  /**
   * Sends in turn, and again after a pause for all, until the answer is another one than 429. That is a state which lasts, so
   * `retryMs` does not bound it; but an engine that takes no sample of the client for as long as a result may take is stuck.
   *
   * @throws TinkerError TIMED_OUT when it is; whatever `send` throws; the signal's reason.
   */
  async submit(
    promptBytes: number,
    signal: AbortSignal,
    send: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> {
    const start = this.#clock.now();
    for (;;) {
      const answer = await this.#sendOnce(promptBytes, signal, send);
      if (answer.status !== 429) {
        this.#answeredAt = this.#clock.now();
        return answer;
      }
      const pauseMs =
        retryAfterMs(answer.headers, Date.now()) ??
        (promptBytes <= SMALL_PROMPT_BYTES ? SMALL_PAUSE_MS : LARGE_PAUSE_MS);
      this.#checkTime(Math.max(start, this.#answeredAt), pauseMs);
      this.#throttle(pauseMs);
    }
  }

  async #sendOnce(
    promptBytes: number,
    signal: AbortSignal,
    send: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> {
    this.#relax();
    const weight = this.#clock.now() < this.#throttledUntil ? THROTTLED_WEIGHT : 1;
    const giveSubmit = await this.#submits.take(1, signal);
    let giveBytes: (() => void) | undefined;
    try {
      giveBytes = await this.#bytes.take(promptBytes * weight, signal);
      for (let wait = this.#pauseLeft(); wait > 0; wait = this.#pauseLeft())
        await this.#clock.sleep(wait, signal);
      return await send();
    } finally {
      giveBytes?.();
      giveSubmit();
      this.#relax();
    }
  }

  #checkTime(since: number, pauseMs: number): void {
    if (this.#clock.now() + pauseMs - since <= this.#resultTimeoutMs) return;
    throw new TinkerError(
      'TIMED_OUT',
      `the engine has refused all samples as too many; gave up after resultTimeoutMs = ${this.#resultTimeoutMs} ms`,
      { status: 429, retryable: true },
    );
  }

  #pauseLeft(): number {
    return this.#pausedUntil - this.#clock.now();
  }

  #throttle(pauseMs: number): void {
    const now = this.#clock.now();
    if (now + pauseMs > this.#pausedUntil) {
      this.#pausedUntil = now + pauseMs;
      this.#logger.info(
        `the engine has too many samples to do: all samplers pause for ${Math.round(pauseMs)} ms`,
      );
    }
    this.#throttledUntil = now + Math.max(pauseMs, THROTTLED_MS);
    this.#submits.limit = Math.min(THROTTLED_SUBMITS, this.#submitLimit);
  }

  #relax(): void {
    if (this.#clock.now() >= this.#throttledUntil) this.#submits.limit = this.#submitLimit;
  }
}
