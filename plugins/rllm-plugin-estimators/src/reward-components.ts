import { RllmError, type TrajectoryGroup } from 'rllm-sdk';

/**
 * Names of all reward components that a trajectory of the batch carries, sorted, so that no order of trajectories shows in a sum.
 *
 * @throws RllmError ESTIMATOR_INPUT when there is none.
 */
export function componentNames(groups: readonly TrajectoryGroup[]): readonly string[] {
  const names = new Set<string>();
  for (const { trajectories } of groups) {
    for (const { rewards = {} } of trajectories) for (const name of Object.keys(rewards)) names.add(name);
  }
  if (names.size > 0) return [...names].sort();
  throw new RllmError(
    'ESTIMATOR_INPUT',
    'No trajectory carries named reward components: the workflow sets trajectory.rewards, for example { correct: 1, format: 0.5 }.',
  );
}

/**
 * One component of every trajectory, `[g][i]`.
 *
 * @throws RllmError ESTIMATOR_INPUT when it is missing, REWARD_NOT_FINITE; the message names task, rollout and role of the trajectory.
 */
export function componentRewards(groups: readonly TrajectoryGroup[], name: string): Float64Array[] {
  return groups.map((group) =>
    Float64Array.from(group.trajectories, ({ rewards = {} }, i) => {
      const value = Object.hasOwn(rewards, name) ? rewards[name] : undefined;
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      const { taskId = group.taskId, rolloutIndex = i } = group.metadata[i] ?? {};
      const missing = value === undefined;
      const which = `The trajectory of task "${taskId}", rollout ${rolloutIndex}, role "${group.role}"`;
      const carried = Object.keys(rewards).map((other) => `"${other}"`);
      throw new RllmError(
        missing ? 'ESTIMATOR_INPUT' : 'REWARD_NOT_FINITE',
        missing
          ? `${which} has no reward component "${name}"; it has ${carried.length === 0 ? 'none' : carried.join(', ')}.`
          : `${which} has ${String(value)} as reward component "${name}".`,
        { details: { taskId, rolloutIndex, role: group.role, component: name } },
      );
    }),
  );
}
