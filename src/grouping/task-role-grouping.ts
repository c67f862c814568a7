import { mark } from '../declarations.js';
import type { Episode, Trajectory, TrajectoryGroup, TrajectoryOrigin } from '../types/index.js';
import type { GroupingHook } from './grouping-hook.js';

interface OpenGroup {
  readonly groupId: string;
  readonly role: string;
  readonly taskId: string;
  readonly trajectories: Trajectory[];
  readonly metadata: TrajectoryOrigin[];
}

/** Where a trajectory of an episode comes from, for a group's metadata. */
export function originOf(episode: Episode): TrajectoryOrigin {
  const { taskId, rolloutIndex, id, terminationReason, isCorrect } = episode;
  return {
    taskId,
    rolloutIndex,
    episodeId: id,
    ...(terminationReason === undefined ? {} : { terminationReason }),
    isCorrect,
  };
}

/**
 * The default hook `task_role`: one group for each task and role, in the order of first appearance. Several trajectories of one
 * role in one rollout share the group, as in rLLM.
 *
 * Task and role are kept apart as keys; the `"task:role"` of `groupId` is for display.
 */
export const taskRoleGrouping: GroupingHook = (episodes) => {
  const byTask = new Map<string, Map<string, OpenGroup>>();
  const groups: TrajectoryGroup[] = [];
  for (const episode of episodes) {
    const { taskId } = episode;
    const byRole = byTask.get(taskId) ?? new Map<string, OpenGroup>();
    byTask.set(taskId, byRole);
    for (const trajectory of episode.trajectories) {
      const role = trajectory.name;
      let group = byRole.get(role);
      if (group === undefined) {
        group = { groupId: `${taskId}:${role}`, role, taskId, trajectories: [], metadata: [] };
        byRole.set(role, group);
        groups.push(group);
      }
      group.trajectories.push(trajectory);
      group.metadata.push(originOf(episode));
    }
  }
  return groups;
};

mark({
  kind: 'groupingHook',
  name: 'task_role',
  form: 'function',
  target: taskRoleGrouping,
  override: false,
  options: { summary: 'one group for each task and role' },
});

/** The grouping hooks of the SDK, marked with their names as a plugin's are. */
export const builtInGroupingHooks: readonly GroupingHook[] = [taskRoleGrouping];
