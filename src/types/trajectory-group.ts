import type { TerminationReason } from './termination.js';
import type { Trajectory } from './trajectory.js';

/** Where a trajectory of a group comes from: its episode, or as much of it. */
export interface TrajectoryOrigin {
  readonly taskId: string;
  readonly rolloutIndex: number;
  readonly terminationReason?: TerminationReason;
  readonly isCorrect: boolean;
}

/** Trajectories whose rewards are compared with each other. By default: one task, one role. */
export interface TrajectoryGroup {
  /** For display, `"task:role"` by the default hook; never parsed. */
  readonly groupId: string;
  readonly role: string;
  readonly taskId: string;
  readonly trajectories: readonly Trajectory[];
  /** Aligned with `trajectories`. By the hooks of the SDK, the episodes themselves. */
  readonly metadata: readonly TrajectoryOrigin[];
  /** Greedy rollouts of this task and role, where an estimator asked for them: a baseline, never trained on. */
  readonly baselines?: readonly Trajectory[];
}

/** Which rollout the trajectory `i` of a group comes from, in messages: for groups made by hand, which may lack metadata, too. */
export function rolloutOf(
  { taskId, metadata }: TrajectoryGroup,
  i: number,
): Pick<TrajectoryOrigin, 'taskId' | 'rolloutIndex'> {
  return metadata[i] ?? { taskId, rolloutIndex: i };
}
