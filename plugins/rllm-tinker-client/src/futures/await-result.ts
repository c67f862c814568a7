import type { SessionCore } from '../client-core.js';
import { TinkerError } from '../errors.js';
import type { HttpAnswer } from '../transport/http-answer.js';
import { backoffMs } from '../transport/retry-delay.js';
import { statusError } from '../transport/status-error.js';
import { pollOutcome } from './poll-outcome.js';

const PATH = '/retrieve_future';
const TROUBLE_BASE_MS = 1000;
const TROUBLE_LONGEST_MS = 30_000;
const EMPTY_400_RETRIES = 3;
/** An engine that says "again" without having held the poll would have us spin: from the third time on we wait. */
const SPIN_MS = 25;
const SPIN_FREE = 3;

/** An operation that the engine has accepted. */
export interface AcceptedCall {
  readonly requestId: string;
  /** The protocol's name of its kind, such as `ForwardBackward`. */
  readonly type: string;
  readonly accept: 'json' | 'protobuf';
  /** Time that the submission took, in ms; told to the engine once. */
  readonly submitMs: number;
  /** Submits the same request anew and gives its new id. */
  readonly resubmit: () => Promise<string>;
}

/**
 * Polls until the operation's result is there, and gives it as it came.
 *
 * @throws TinkerError OPERATION_FAILED, PROMISE_LOST, TIMED_OUT, UNREACHABLE, by status when the poll is refused, or the signal's reason.
 */
export async function awaitResult(
  core: SessionCore,
  call: AcceptedCall,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const poll = new Poll(core, call, signal);
  const { firstPollMs } = core.engine;
  try {
    if (firstPollMs > 0) await core.clock.sleep(firstPollMs, signal);
    for (;;) {
      const answer = await poll.next();
      if (answer !== undefined) return answer;
    }
  } finally {
    poll.end();
  }
}

class Poll {
  readonly #core: SessionCore;
  readonly #call: AcceptedCall;
  readonly #signal: AbortSignal;
  readonly #start: number;
  #requestId: string;
  #iteration = 0;
  #quick = 0;
  #lost = 0;
  #empty400 = 0;
  #troubles = 0;
  #troubledSince = 0;
  #releaseBytes: (() => void) | undefined;

  constructor(core: SessionCore, call: AcceptedCall, signal: AbortSignal) {
    this.#core = core;
    this.#call = call;
    this.#signal = signal;
    this.#requestId = call.requestId;
    this.#start = core.clock.now();
  }

  /** One poll and what follows from it: the result, or undefined to go on. */
  async next(): Promise<HttpAnswer | undefined> {
    const core = this.#core;
    const askedAt = core.clock.now();
    this.#checkTime(askedAt);
    let answer: HttpAnswer;
    try {
      answer = await this.#ask();
    } catch (failure) {
      if (!TinkerError.isInstance(failure) || !failure.retryable) throw failure;
      // Our own time-out of a poll is the normal way to wait.
      if (failure.code !== 'TIMED_OUT') await this.#trouble(failure);
      return undefined;
    }
    const outcome = pollOutcome(answer, core.engine.failedResultStatuses);
    if (outcome.kind !== 'trouble') this.#troubles = 0;
    switch (outcome.kind) {
      case 'done':
        return answer;
      case 'again':
        if (outcome.state !== undefined) {
          core.queueWatch.tell({ requestId: this.#requestId, state: outcome.state, reason: outcome.reason });
        }
        await this.#unspin(core.clock.now() - askedAt);
        return undefined;
      case 'large':
        this.end();
        this.#releaseBytes = await core.responseBytes.take(outcome.bytes, this.#signal);
        return undefined;
      case 'lost':
        await this.#resubmit();
        return undefined;
      case 'trouble':
        await this.#trouble(statusError(PATH, answer, core.redact));
        return undefined;
      case 'empty-400':
        if (++this.#empty400 > EMPTY_400_RETRIES) throw this.#refused(answer);
        await core.clock.sleep(TROUBLE_BASE_MS, this.#signal);
        return undefined;
      case 'failed':
        throw new TinkerError(
          'OPERATION_FAILED',
          `${this.#call.type} failed: ${core.redact(outcome.message)}`,
          {
            requestId: this.#requestId,
            category: outcome.category,
            status: answer.status,
            retryable: outcome.category === 'server',
          },
        );
      case 'refused':
        throw this.#refused(answer);
    }
  }

  end(): void {
    this.#releaseBytes?.();
    this.#releaseBytes = undefined;
  }

  async #ask(): Promise<HttpAnswer> {
    const core = this.#core;
    const call = this.#call;
    const release = await core.polls.take(1, this.#signal);
    try {
      await core.token.refresh();
      const first = this.#iteration === 0;
      return await core.transport.send(
        {
          method: 'POST',
          path: PATH,
          headers: {
            'X-Tinker-Request-Iteration': String(this.#iteration++),
            'X-Tinker-Request-Type': call.type,
            ...(first ? { 'X-Tinker-Create-Promise-Roundtrip-Time': String(call.submitMs / 1000) } : {}),
            ...(call.accept === 'protobuf' ? { accept: 'application/x-protobuf, application/json' } : {}),
          },
          body: JSON.stringify({
            request_id: this.#requestId,
            allow_metadata_only: this.#releaseBytes === undefined,
          }),
        },
        core.limits.pollTimeoutMs,
        this.#signal,
      );
    } finally {
      release();
    }
  }

  #checkTime(now: number): void {
    const { resultTimeoutMs } = this.#core.limits;
    if (now - this.#start <= resultTimeoutMs) return;
    throw new TinkerError(
      'TIMED_OUT',
      `${this.#call.type} had no result after resultTimeoutMs = ${resultTimeoutMs} ms`,
      {
        requestId: this.#requestId,
        retryable: true,
      },
    );
  }

  async #unspin(heldMs: number): Promise<void> {
    this.#quick = heldMs < SPIN_MS ? this.#quick + 1 : 0;
    if (this.#quick < SPIN_FREE) return;
    await this.#core.clock.sleep(
      backoffMs(this.#quick - SPIN_FREE, SPIN_MS, TROUBLE_BASE_MS, 0),
      this.#signal,
    );
  }

  async #trouble(error: TinkerError): Promise<void> {
    const { clock, limits, logger, random } = this.#core;
    if (this.#troubles === 0) this.#troubledSince = clock.now();
    const waitMs = backoffMs(this.#troubles++, TROUBLE_BASE_MS, TROUBLE_LONGEST_MS, random());
    // Too many requests is a state that lasts; anything else for this long is an engine that is gone.
    if (error.status !== 429 && clock.now() - this.#troubledSince + waitMs > limits.retryMs) {
      throw new TinkerError('UNREACHABLE', `${error.message}; gave up after retryMs = ${limits.retryMs} ms`, {
        cause: error,
        status: error.status,
        requestId: this.#requestId,
        retryable: true,
      });
    }
    logger.info(`${error.message}; polling again in ${Math.round(waitMs)} ms`);
    await clock.sleep(waitMs, this.#signal);
  }

  async #resubmit(): Promise<void> {
    const { limits, logger } = this.#core;
    if (this.#lost++ >= limits.resubmissions) {
      throw new TinkerError(
        'PROMISE_LOST',
        `The engine lost the promise of ${this.#call.type} ${this.#lost} times.`,
        {
          requestId: this.#requestId,
          status: 410,
          retryable: true,
        },
      );
    }
    logger.warn(`the engine lost the promise of ${this.#call.type} ${this.#requestId}: submitting it anew`);
    this.#requestId = await this.#call.resubmit();
    this.#iteration = 0;
  }

  #refused(answer: HttpAnswer): TinkerError {
    const error = statusError(PATH, answer, this.#core.redact);
    return new TinkerError(error.code, error.message, { status: answer.status, requestId: this.#requestId });
  }
}
