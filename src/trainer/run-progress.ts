import type { DataCursor } from '../data/index.js';
import { EMPTY_REJECTION_STATE, type Metrics, type TrainerState } from '../types/index.js';

/** How far a run has come: what changes from step to step, and is in its checkpoints. */
export interface RunProgress {
  readonly state: TrainerState;
  /** The batch that comes next. */
  cursor: DataCursor;
  /** Weights that were validated last; null when none were. */
  validatedVersion: number | null;
  lastStep: Metrics;
  lastValidation: Metrics;
  /** The newest checkpoint and its step. */
  saved: { readonly step: number; readonly directory: string } | null;
}

export function newProgress(): RunProgress {
  return {
    state: {
      globalStep: 0,
      epoch: 0,
      totalSteps: 0,
      episodes: [],
      trajectoryGroups: [],
      backendBatch: undefined,
      metrics: {},
      timings: {},
      rejection: EMPTY_REJECTION_STATE,
    },
    cursor: { epoch: 0, index: 0 },
    validatedVersion: null,
    lastStep: {},
    lastValidation: {},
    saved: null,
  };
}
