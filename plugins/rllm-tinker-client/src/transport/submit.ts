import { randomUUID } from 'node:crypto';
import type { ClientCore } from '../client-core.js';
import { TinkerError } from '../errors.js';
import type { HttpAnswer } from './http-answer.js';
import { type HttpRequest, isUncertain } from './http-transport.js';
import { backoffMs, type ConflictRule, isTransient, retryAfterMs } from './retry-delay.js';
import { statusError } from './status-error.js';

/** How often an answer of 400 without a body, which a proxy makes, is tried again. */
const EMPTY_400_RETRIES = 3;
const BILLING_WAIT_MS = 5_000;
/** How long billing may take to be settled. */
const BILLING_LIMIT_MS = 3_600_000;
const EARLY_WAIT_MS = 500;

export interface SubmitRules {
  /** Default `fatal`. */
  readonly conflict?: ConflictRule;
  /** Statuses other than 2xx that the caller handles, and which are neither retried nor thrown. */
  readonly passes?: readonly number[];
  /** False for what the engine would execute twice; then it is not sent again once it may have arrived. Default true. */
  readonly repeatable?: boolean;
  /** Once true, the attempt under way is the last. */
  readonly stopped?: () => boolean;
  /** Told when an attempt may have arrived although its answer did not say so. */
  readonly onUncertain?: () => void;
}

/**
 * Sends a request until the engine accepts or refuses it, always with the same body and idempotency key.
 *
 * @throws TinkerError by status when refused; UNREACHABLE or TIMED_OUT when `retryMs` is over; SUBMISSION_UNCERTAIN; the signal's reason.
 */
export async function submit(
  core: ClientCore,
  request: HttpRequest,
  signal: AbortSignal,
  rules: SubmitRules = {},
): Promise<HttpAnswer> {
  const { clock, limits, logger } = core;
  const keyed =
    request.method === 'GET'
      ? request
      : { ...request, headers: { ...request.headers, 'X-Idempotency-Key': `rllm-retry-${randomUUID()}` } };
  const start = clock.now();
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce(core, keyed, signal, rules, attempt);
    if ('answer' in outcome) return outcome.answer;
    const { error, waitMs, limitMs } = outcome.retry;
    const spent = clock.now() - start;
    if (rules.stopped?.() === true || spent + waitMs > (limitMs ?? limits.retryMs)) {
      throw attempt === 0 ? error : giveUp(error, attempt + 1, spent);
    }
    logger.info(`${error.message}; attempt ${attempt + 2} in ${Math.round(waitMs)} ms`);
    await clock.sleep(waitMs, signal);
  }
}

type Attempt =
  | { readonly answer: HttpAnswer }
  | { readonly retry: { readonly error: TinkerError; readonly waitMs: number; readonly limitMs?: number } };

async function attemptOnce(
  core: ClientCore,
  request: HttpRequest,
  signal: AbortSignal,
  rules: SubmitRules,
  attempt: number,
): Promise<Attempt> {
  const { limits } = core;
  const backoff = backoffMs(attempt, limits.retryBaseMs, limits.retryMaxMs, core.random());
  let answer: HttpAnswer;
  try {
    await core.token.refresh();
    answer = await core.transport.send(request, limits.requestTimeoutMs, signal);
  } catch (failure) {
    if (!TinkerError.isInstance(failure) || !failure.retryable) throw failure;
    if (isUncertain(failure)) {
      rules.onUncertain?.();
      if (rules.repeatable === false) throw uncertain(request, failure);
    }
    return { retry: { error: failure, waitMs: backoff } };
  }
  if (answer.status < 400 || rules.passes?.includes(answer.status)) return { answer };
  const error = statusError(request.path, answer, core.redact);
  const conflict = rules.conflict ?? 'fatal';
  if (answer.status === 409 && conflict === 'done-on-retry' && attempt > 0) return { answer };
  if (!isTransient(answer, conflict)) throw error;
  if (answer.status >= 500 || answer.status === 408) rules.onUncertain?.();
  // A gateway's answer says nothing about what the engine behind it did.
  if (rules.repeatable === false && (answer.status === 502 || answer.status === 504))
    throw uncertain(request, error);
  if (answer.status === 400 && attempt >= EMPTY_400_RETRIES) throw error;
  if (answer.status === 402) return { retry: { error, waitMs: BILLING_WAIT_MS, limitMs: BILLING_LIMIT_MS } };
  const asked = retryAfterMs(answer.headers, Date.now());
  return { retry: { error, waitMs: asked ?? (answer.status === 425 ? EARLY_WAIT_MS : backoff) } };
}

function uncertain(request: HttpRequest, cause: TinkerError): TinkerError {
  return new TinkerError(
    'SUBMISSION_UNCERTAIN',
    `${request.path} may or may not have reached the engine, which would execute it twice if it was sent again: ${cause.message}`,
    { cause },
  );
}

function giveUp(last: TinkerError, attempts: number, spentMs: number): TinkerError {
  return new TinkerError(
    last.code,
    `${last.message}; gave up after ${attempts} attempts in ${Math.round(spentMs / 1000)} s`,
    { cause: last, status: last.status, retryable: last.retryable },
  );
}
