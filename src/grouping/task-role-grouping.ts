import { mark } from '../declarations.js';
import type { Episode, Trajectory, TrajectoryOrigin } from '../types/index.js';
import type { GroupingHook } from './grouping-hook.js';

interface OpenGroup {
  readonly groupId: string;
  readonly role: string;
  readonly taskId: string;
  trajectories: Trajectory[];
  metadata: TrajectoryOrigin[];
}

/** Where a trajectory of an episode comes from, for a group's metadata. */
export function originOf(episode: Episode): TrajectoryOrigin {
  const { taskId, rolloutIndex, id, terminationReason, isCorrect } = episode;
  // Written out twice: a spread takes ten times as long, and there is one for each trajectory of a batch.
  return terminationReason === undefined
    ? { taskId, rolloutIndex, episodeId: id, isCorrect }
    : { taskId, rolloutIndex, episodeId: id, terminationReason, isCorrect };
}

/**
 * The default hook `task_role`: one group for each task and role, in the order of first appearance. Several trajectories of one
 * role in one rollout share the group, as in rLLM.
 *
 * Task and role are kept apart as keys; the `"task:role"` of `groupId` is for display.
 */
export const taskRoleGrouping: GroupingHook = (episodes) => {
  // Roles outside, since there are few of them: so there are few maps.
  const byRole = new Map<string, Map<string, OpenGroup>>();
  const groups: OpenGroup[] = [];
  let group: OpenGroup | undefined;
  for (const episode of episodes) {
    const { taskId, trajectories } = episode;
    const origin = originOf(episode);
    for (const trajectory of trajectories) {
      const role = trajectory.name;
      // Rollouts of a task come in a row, so that mostly it is the group of the one before.
      if (group?.taskId !== taskId || group.role !== role) {
        let byTask = byRole.get(role);
        if (byTask === undefined) {
          byTask = new Map();
          byRole.set(role, byTask);
        }
        group = byTask.get(taskId);
        if (group === undefined) {
          group = { groupId: `${taskId}:${role}`, role, taskId, trajectories: [], metadata: [] };
          byTask.set(taskId, group);
          groups.push(group);
        }
      }
      group.trajectories.push(trajectory);
      group.metadata.push(origin);
    }
  }
  // Lists that grew by `push` hold twice the memory they need, and groups are kept until the batch is trained.
  for (const own of groups) {
    own.trajectories = own.trajectories.slice();
    own.metadata = own.metadata.slice();
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
