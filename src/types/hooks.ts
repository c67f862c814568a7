import type { Episode } from './episode.js';
import type { Metrics } from './json.js';
import type { TrainerState } from './trainer-state.js';

/** What a hook may do to a run besides looking at it. */
export interface RunControl {
  /** The run's folder; empty when nothing is written. */
  readonly directory: string;
  /** Ends the run, as completed, after the step at hand. The first reason given is told in the summary. */
  stop(reason: string): void;
  /**
   * Saves a checkpoint of the step at hand, unless there is one, and returns its folder; null when nothing is written or the
   * backend has no checkpoints. The run may remove it later (`trainer.keepCheckpoints`): copy what is to stay.
   *
   * @throws RllmError HOOK_FAILED between the start of a batch and its end, when there is no whole step to save.
   */
  checkpoint(): Promise<string | null>;
}

/** Points of a run where code may be called. All are awaited, in the order in which plugins are named. */
export interface LifecycleHooks {
  onTrainStart?(state: TrainerState, run: RunControl): void | Promise<void>;
  onTrainEnd?(state: TrainerState, run: RunControl): void | Promise<void>;
  onEpochStart?(state: TrainerState, run: RunControl): void | Promise<void>;
  onEpochEnd?(state: TrainerState, run: RunControl): void | Promise<void>;
  onBatchStart?(state: TrainerState, run: RunControl): void | Promise<void>;
  /** After the eight stages, before metrics are logged: may add to `state.metrics`. */
  onBatchEnd?(state: TrainerState, run: RunControl): void | Promise<void>;
  /** Every rollout, of training and validation, in the batch's order once all have ended. */
  onRolloutEnd?(episode: Episode, run: RunControl): void | Promise<void>;
  /** After grouping, filtering and rejection sampling: `state.trajectoryGroups` is what will train; may be empty. */
  onGroups?(state: TrainerState, run: RunControl): void | Promise<void>;
  /** Advantages are set, the policy is not yet updated. Not called for a batch of which nothing is left. */
  onUpdateStart?(state: TrainerState, run: RunControl): void | Promise<void>;
  /** The policy is updated; `state.metrics` has the backend's metrics of it. */
  onUpdateEnd?(state: TrainerState, run: RunControl): void | Promise<void>;
  onValidationStart?(state: TrainerState, run: RunControl): void | Promise<void>;
  onValidationEnd?(state: TrainerState, metrics: Metrics, run: RunControl): void | Promise<void>;
  onCheckpoint?(state: TrainerState, directory: string, run: RunControl): void | Promise<void>;
}
