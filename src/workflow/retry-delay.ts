import type { Random } from '../random.js';

/** No pause before a retry grows beyond a minute. */
const LONGEST_MS = 60_000;

/**
 * Pause before the next attempt, in milliseconds: base · 2^(failed − 1) · (0.5 + u), u uniform in [0, 1).
 *
 * @param base    `workflow.retryBackoffMs`.
 * @param failed  attempts that have failed so far, at least 1.
 * @returns       at least half of the doubled base; at most 60 s, or 1.5 · base where that is longer.
 */
export function retryDelayMs(base: number, failed: number, random: Random): number {
  const ceiling = Math.max(LONGEST_MS, 1.5 * base);
  return Math.min(base * 2 ** (failed - 1) * (0.5 + random.next()), ceiling);
}
