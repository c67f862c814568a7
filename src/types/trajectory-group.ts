import type { Trajectory } from './trajectory.js';

/** Where a trajectory of a group came from. */
export interface TrajectoryOrigin {
  readonly taskId: string;
  readonly rolloutIndex: number;
  readonly episodeId: string;
  readonly terminationReason?: string;
  readonly isCorrect: boolean;
}

/** Trajectories whose rewards are compared with each other. By default: one task, one role. */
export interface TrajectoryGroup {
  /** For display, `"task:role"` by the default hook; never parsed. */
  readonly groupId: string;
  readonly role: string;
  readonly taskId: string;
  readonly trajectories: readonly Trajectory[];
  /** Aligned with `trajectories`. */
  readonly metadata: readonly TrajectoryOrigin[];
  /** Greedy rollouts of this task and role, where an estimator asked for them: a baseline, never trained on. */
  readonly baselines?: readonly Trajectory[];
}
