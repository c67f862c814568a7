import { RllmError } from '../errors.js';
import type { Lifecycle } from './lifecycle.js';
import type { RunReport } from './run-report.js';
import type { RunSteering } from './run-steering.js';
import type { TrainerParts } from './trainer-parts.js';

/** What everything that happens in a run is done with. */
export interface RunContext {
  readonly parts: TrainerParts;
  readonly lifecycle: Lifecycle;
  /** What hooks do to the run. */
  readonly steering: RunSteering;
  readonly report: RunReport;
  /** Fires when the run shall end after the step at hand. */
  readonly stop: AbortSignal;
  /** Fires when the run shall end at once. */
  readonly abort: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** @throws RllmError ABORTED when the run shall end at once. */
export function throwIfAborted({ abort }: RunContext): void {
  if (abort.aborted) throw new RllmError('ABORTED', 'The run was aborted.', { cause: abort.reason });
}
