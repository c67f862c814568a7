import type { Episode } from './episode.js';
import type { Metrics } from './json.js';
import type { TrajectoryGroup } from './trajectory-group.js';

/** What rejection sampling carries from one batch to the next in `episode` mode. */
export interface RejectionSamplingState {
  /** Episodes and groups of earlier batches that wait for enough partly solved tasks. */
  readonly episodes: readonly Episode[];
  readonly groups: readonly TrajectoryGroup[];
  /** Tasks seen so far that were solved by some of their rollouts and not by all. */
  readonly partialSolveTasks: number;
}

export const EMPTY_REJECTION_STATE: RejectionSamplingState = {
  episodes: [],
  groups: [],
  partialSolveTasks: 0,
};

/** Everything the eight stages share about the batch at hand. `BackendBatch` is the backend's own type. */
export interface TrainerState<BackendBatch = unknown> {
  /** 1-based step at hand; 0 before training. */
  globalStep: number;
  epoch: number;
  /** Planned number of optimiser steps. */
  totalSteps: number;
  episodes: readonly Episode[];
  trajectoryGroups: readonly TrajectoryGroup[];
  backendBatch: BackendBatch | undefined;
  metrics: Metrics;
  /** Seconds by stage name. */
  timings: Record<string, number>;
  rejection: RejectionSamplingState;
}
