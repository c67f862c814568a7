import { mark } from '../declarations.js';
import type { Episode, Trajectory } from '../types/index.js';
import type { GroupingHook } from './grouping-hook.js';
import { roleGroup } from './role-group.js';

/**
 * The default hook `task_role`: one group for each task and role, in the order of first appearance. Several trajectories of one
 * role in one rollout share the group, as in rLLM.
 *
 * Task and role are kept apart as keys; the `"task:role"` of `groupId` is for display.
 */
export const taskRoleGrouping: GroupingHook = (episodes) => {
  const { trajectories, episodeOf, groupOf, sizes } = placeTrajectories(episodes);
  // Sizes come first, since lists that grow take twice the memory.
  const members = sizes.map((size) => new Array<Trajectory>(size));
  const origins = sizes.map((size) => new Array<Episode>(size));
  const filled = new Uint32Array(sizes.length);
  for (let t = 0; t < trajectories.length; t++) {
    const group = groupOf[t] as number;
    const i = filled[group] as number;
    filled[group] = i + 1;
    (members[group] as Trajectory[])[i] = trajectories[t] as Trajectory;
    (origins[group] as Episode[])[i] = episodeOf[t] as Episode;
  }
  return members.map((own, group) => roleGroup(own, origins[group] as Episode[]));
};

/** Every trajectory in order, its episode, and the number of its group. */
interface Placed {
  readonly trajectories: readonly Trajectory[];
  readonly episodeOf: readonly Episode[];
  readonly groupOf: Uint32Array;
  /** Of each group. */
  readonly sizes: readonly number[];
}

function placeTrajectories(episodes: readonly Episode[]): Placed {
  let total = 0;
  for (const { trajectories } of episodes) total += trajectories.length;
  const trajectories = new Array<Trajectory>(total);
  const episodeOf = new Array<Episode>(total);
  const groupOf = new Uint32Array(total);
  const sizes: number[] = [];
  // Roles outside, since there are few of them: so there are few maps.
  const byRole = new Map<string, Map<string, number>>();
  let next = 0;
  let group = 0;
  let ofTask: string | undefined;
  let ofRole: string | undefined;
  for (const episode of episodes) {
    const { taskId } = episode;
    for (const trajectory of episode.trajectories) {
      const role = trajectory.name;
      // Rollouts of a task come in a row, so that mostly it is the group of the one before.
      if (taskId !== ofTask || role !== ofRole) {
        ofTask = taskId;
        ofRole = role;
        let byTask = byRole.get(role);
        if (byTask === undefined) {
          byTask = new Map();
          byRole.set(role, byTask);
        }
        group = byTask.get(taskId) ?? sizes.length;
        if (group === sizes.length) {
          byTask.set(taskId, group);
          sizes.push(0);
        }
      }
      sizes[group] = (sizes[group] as number) + 1;
      trajectories[next] = trajectory;
      episodeOf[next] = episode;
      groupOf[next++] = group;
    }
  }
  return { trajectories, episodeOf, groupOf, sizes };
}

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
