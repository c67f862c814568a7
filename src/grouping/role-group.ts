import type { Episode, Trajectory, TrajectoryGroup, TrajectoryOrigin } from '../types/index.js';

/** Where a trajectory of an episode comes from, for a group's metadata. */
export function originOf(episode: Episode): TrajectoryOrigin {
  const { taskId, rolloutIndex, id, terminationReason, isCorrect } = episode;
  // Written out twice, since a spread takes ten times as long.
  return terminationReason === undefined
    ? { taskId, rolloutIndex, episodeId: id, isCorrect }
    : { taskId, rolloutIndex, episodeId: id, terminationReason, isCorrect };
}

/**
 * The trajectories of one role in the rollouts of one task.
 *
 * @param trajectories  one or more, all of one role.
 * @param episodes      of each its own, all of one task.
 */
export function roleGroup(
  trajectories: readonly Trajectory[],
  episodes: readonly Episode[],
): TrajectoryGroup {
  const { taskId } = episodes[0] as Episode;
  const { name: role } = trajectories[0] as Trajectory;
  return { groupId: `${taskId}:${role}`, role, taskId, trajectories, metadata: episodes.map(originOf) };
}
