import type { Episode } from './episode.js';
import type { Metrics } from './json.js';
import type { TrainerState } from './trainer-state.js';

/** Points of a run where code may be called. All are awaited, in the order in which plugins are named. */
export interface LifecycleHooks {
  onTrainStart?(state: TrainerState): void | Promise<void>;
  onTrainEnd?(state: TrainerState): void | Promise<void>;
  onEpochStart?(state: TrainerState): void | Promise<void>;
  onEpochEnd?(state: TrainerState): void | Promise<void>;
  onBatchStart?(state: TrainerState): void | Promise<void>;
  /** After the eight stages, before metrics are logged: may add to `state.metrics`. */
  onBatchEnd?(state: TrainerState): void | Promise<void>;
  onRolloutEnd?(episode: Episode): void | Promise<void>;
  onValidationStart?(state: TrainerState): void | Promise<void>;
  onValidationEnd?(state: TrainerState, metrics: Metrics): void | Promise<void>;
  onCheckpoint?(state: TrainerState, directory: string): void | Promise<void>;
}
