import type { Step } from './step.js';

/** What one role did in one rollout. Its `name` is the role by which trajectories are grouped. */
export interface Trajectory {
  readonly uid: string;
  /** The role; `DEFAULT_TRAJECTORY_NAME` when the workflow gave none. */
  name: string;
  task?: unknown;
  steps: Step[];
  /** Absent until the workflow or reward propagation sets it. */
  reward?: number;
  /** Named parts of the reward, beside the total: `{ correct: 1, format: 0.5 }`. */
  rewards?: Record<string, number>;
  info: Record<string, unknown>;
}

/** Name of a trajectory that was given none; grouping imputes one from its position. */
export const DEFAULT_TRAJECTORY_NAME = 'default_traj_name';
