import type { HttpAnswer } from './http-answer.js';

/** Longest wait that an engine may ask for; above it, our own is taken. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** What the engine asks us to wait, in ms: `retry-after-ms`, else `retry-after` in seconds or as a date. */
export function retryAfterMs(headers: Headers, nowEpochMs: number): number | undefined {
  const ms = headers.get('retry-after-ms');
  const seconds = headers.get('retry-after');
  let asked: number | undefined;
  if (ms !== null && ms.trim() !== '') asked = Number(ms);
  else if (seconds !== null)
    asked = /^\s*[\d.]+\s*$/.test(seconds) ? Number(seconds) * 1000 : Date.parse(seconds) - nowEpochMs;
  return asked !== undefined && asked >= 0 && asked <= LONGEST_RETRY_AFTER_MS ? asked : undefined;
}

/**
 * Wait before attempt n + 1 (n from 0), in ms: min(base·2ⁿ, longest), less up to a quarter by chance so that many clients do not come
 * back at the same moment.
 *
 * @param random  in [0, 1)
 */
export function backoffMs(n: number, baseMs: number, longestMs: number, random: number): number {
  return Math.min(baseMs * 2 ** Math.min(n, 30), longestMs) * (1 - 0.25 * random);
}

/** How a submission deals with status 409: as passing, as final, or, on a retry, as proof that the first attempt arrived. */
export type ConflictRule = 'transient' | 'fatal' | 'done-on-retry';

/** Whether an answer other than 2xx may turn into a good one by itself. `x-should-retry` overrides what the status says. */
export function isTransient(answer: HttpAnswer, conflict: ConflictRule): boolean {
  const { status, headers, bytes } = answer;
  const override = headers.get('x-should-retry');
  if (override === 'true' || override === 'false') return override === 'true';
  if (status === 409) return conflict === 'transient';
  // A 400 without a body comes from a proxy, not from the engine.
  if (status === 400) return bytes.length === 0;
  return status === 402 || status === 408 || status === 425 || status === 429 || status >= 500;
}
