import { mark } from '../declarations.js';
import { TextNumbers } from '../text-numbers.js';
import type { GroupingHook } from './grouping-hook.js';
import { RoleGroups } from './role-groups.js';

declare module '../config/names.js' {
  interface GroupingHookOptionsMap {
    task_role: NoOptions;
  }
}

/**
 * The default hook `task_role`: one group for each task and role, in the order of first appearance. Several trajectories of one
 * role in one rollout share the group, as in rLLM.
 *
 * Task and role are kept apart as keys; the `"task:role"` of `groupId` is for display.
 */
export const taskRoleGrouping: GroupingHook = (episodes) => {
  const groups = new RoleGroups(episodes.length);
  const tasks = new TextNumbers();
  for (const episode of episodes) groups.add(episode, tasks.numberOf(episode.taskId));
  return groups.finish().groups;
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
