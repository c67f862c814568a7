import { stream } from '../random.js';
import type { Episode, TerminationReason } from '../types/index.js';
import { Attempt, type AttemptParts, type AttemptResult } from './attempt.js';
import { retryDelayMs } from './retry-delay.js';
import type { AttemptIdentity } from './rollout-request.js';

/** An attempt that was tried again, as it stays in `episode.info.failedAttempts`. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly terminationReason: TerminationReason;
  readonly metrics: Readonly<Record<string, number>>;
  /** An `ErrorRecord`, where it ended by an error. */
  readonly error?: unknown;
}

/** What lets a run stop its rollouts. */
export interface RunControl {
  readonly signal: AbortSignal;
  /** What runs now: attempts, and pauses before retries. */
  readonly running: Set<{ stop(): void }>;
}

/**
 * Runs a rollout until an attempt ends by something else than `workflow.retryOn`, or `workflow.retryLimit` attempts have
 * been made; nothing is tried again once the run stops. The pause between attempts depends on the seed and the rollout's identity.
 *
 * @returns the last attempt; the episode's `info.attempts` is its number, `info.failedAttempts` lists those before it.
 */
export async function runRollout(
  parts: AttemptParts & { readonly seed: number },
  rollout: Omit<AttemptIdentity, 'attempt'>,
  control: RunControl,
): Promise<AttemptResult> {
  const { retryLimit, retryOn, retryBackoffMs } = parts.config;
  const failed: FailedAttempt[] = [];
  for (let number = 1; ; number++) {
    const attempt = new Attempt(parts, { ...rollout, attempt: number }, control.signal);
    control.running.add(attempt);
    const result = await attempt.run();
    control.running.delete(attempt);
    const { episode } = result;
    if (failed.length > 0) Object.assign(episode.info, { failedAttempts: failed });
    const isFailure = retryOn.some((reason) => reason === episode.terminationReason);
    if (!isFailure || number >= retryLimit || control.signal.aborted) return result;

    failed.push(failedAttempt(number, episode));
    const { mode, step, request } = rollout;
    const random = stream(parts.seed, 'retry', mode, step, request.taskId, request.rolloutIndex, number);
    await pause(retryDelayMs(retryBackoffMs, number, random), parts, control);
    if (control.signal.aborted) return result;
  }
}

/** Waits, but no longer than the run goes on. */
function pause(ms: number, { clock }: AttemptParts, { running }: RunControl): Promise<void> {
  return new Promise((resolve) => {
    let cancel: (() => void) | undefined;
    const sleep = {
      stop(): void {
        cancel?.();
        running.delete(sleep);
        resolve();
      },
    };
    running.add(sleep);
    cancel = clock.after(ms, sleep.stop);
  });
}

function failedAttempt(attempt: number, episode: Episode): FailedAttempt {
  const { terminationReason = 'unknown', metrics, info } = episode;
  const { error } = info;
  return { attempt, terminationReason, metrics, ...(error === undefined ? {} : { error }) };
}
