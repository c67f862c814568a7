import type { TransformConfig } from '../config/types.js';
import type { Episode, TrajectoryGroup } from '../types/index.js';

/**
 * Decides which trajectories are compared with each other.
 *
 * It is called once per batch, after unnamed trajectories were named, rewards propagated and compact filtering applied: what
 * it sees is what trains. Every trajectory of the episodes may stand in at most one group; one that stands in none does not train.
 */
export type GroupingHook = (
  episodes: readonly Episode[],
  transform: TransformConfig,
) => readonly TrajectoryGroup[];
