import { awaiting } from '../awaited-parts.js';
import type { HookPolicy } from '../config/types.js';
import { messageOf, RllmError } from '../errors.js';
import type { RunControl } from '../types/index.js';
import type { Clock } from '../workflow/index.js';
import type { WarningDetails } from './events.js';
import { GivenUp, GRACE_MS, withinGrace } from './grace.js';
import { openControl } from './hook-control.js';
import { HookWatch } from './hook-watch.js';
import type { HookName, RunSteering } from './run-steering.js';

/** One function that listens at one point of a run. */
export interface HookListener<Args extends readonly unknown[]> extends HookName {
  readonly run: (...args: [...Args, RunControl]) => unknown;
  failures: number;
  /** It threw, and by policy is not called again. */
  isOff: boolean;
}

export interface HookCallsParts {
  readonly policy: HookPolicy;
  readonly steering: RunSteering;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Fires when the run shall end at once: a hook that runs then is left, and one that is called still has a short grace. */
  readonly abort: AbortSignal;
  readonly warn: (code: string, message: string, details: WarningDetails) => void;
}

/** Calls hooks of plugins: each is watched while it runs, and the policy of the run decides what its failure does. */
export class HookCalls {
  readonly #parts: HookCallsParts;

  constructor(parts: HookCallsParts) {
    this.#parts = parts;
  }

  /**
   * The hook at the end of training belongs to the end of a run, and has its grace in any case.
   *
   * @throws RllmError HOOK_FAILED by the policy `fail`; ABORTED when the run is to end at once while the hook still runs.
   */
  async call<Args extends readonly unknown[]>(listener: HookListener<Args>, args: Args): Promise<void> {
    if (listener.isOff) return;
    const { plugin, hook } = listener;
    const { clock, now, policy, steering, abort } = this.#parts;
    const watch = new HookWatch({
      clock,
      now,
      slowMs: policy.slowMs,
      tell: (ms, isStillRunning) => this.#tellSlow({ plugin, hook }, ms, isStillRunning),
    });
    const { control, close } = openControl(steering, { plugin, hook }, watch);
    const graceMs = abort.aborted || hook === 'onTrainEnd' ? GRACE_MS : 0;
    watch.start();
    try {
      const run = awaiting(`the hook ${hook} of plugin "${plugin}"`, () => listener.run(...args, control));
      await withinGrace(run, this.#parts, graceMs);
    } catch (cause) {
      if (cause instanceof GivenUp) this.#givenUp({ plugin, hook }, graceMs);
      else this.#failed(listener, cause);
    } finally {
      await close();
      watch.end();
    }
  }

  #tellSlow(by: HookName, ms: number, isStillRunning: boolean): void {
    const took = isStillRunning ? 'is still running after' : 'took';
    const message = `The hook ${by.hook} of the plugin "${by.plugin}" ${took} ${ms / 1000} s; the run waits for it.`;
    this.#parts.warn('HOOK_SLOW', message, { ...by, ms });
  }

  /** @throws RllmError ABORTED unless it had its grace: then the run is at its end, which goes on with the next hook. */
  #givenUp(by: HookName, graceMs: number): void {
    const { abort, warn } = this.#parts;
    const who = `the hook ${by.hook} of the plugin "${by.plugin}"`;
    if (graceMs === 0) {
      const message = `The run was aborted and did not wait for ${who}.`;
      throw new RllmError('ABORTED', message, { cause: abort.reason, details: { ...by } });
    }
    warn('HOOK_GIVEN_UP', `The run was aborted and waited ${graceMs / 1000} s for ${who}, but no longer.`, {
      ...by,
    });
  }

  /** Of one that fails at every call, each failure would be told: so only the 1st, 2nd, 4th, 8th, … is. */
  #failed(listener: HookListener<never>, cause: unknown): void {
    const { plugin, hook } = listener;
    const { policy, abort, warn } = this.#parts;
    if (abort.aborted && isAborted(cause)) {
      throw new RllmError('ABORTED', 'The run was aborted.', { cause: abort.reason });
    }
    const error = hookError({ plugin, hook }, cause);
    if (policy.onError === 'fail') throw error;
    const failures = ++listener.failures;
    listener.isOff = policy.onError === 'disable';
    if ((failures & (failures - 1)) !== 0) return;
    const times = failures === 1 ? '' : ` It has failed ${failures} times.`;
    const then = listener.isOff ? ' It is not called again in this run.' : ' The run goes on.';
    warn('HOOK_FAILED', `${error.message}${times}${then}`, { plugin, hook });
  }
}

/** An error of a hook further in, or one that names this hook already, is told as it is. */
function hookError(by: HookName, cause: unknown): RllmError {
  if (RllmError.isInstance(cause) && cause.code === 'HOOK_FAILED') return cause;
  return new RllmError(
    'HOOK_FAILED',
    `The plugin "${by.plugin}" failed in its hook ${by.hook}: ${messageOf(cause)}`,
    { cause, details: { ...by } },
  );
}

function isAborted(cause: unknown): boolean {
  return RllmError.isInstance(cause) && cause.code === 'ABORTED';
}
