import { rolloutOf, type Trajectory, type TrajectoryGroup, type TrajectoryOrigin } from '../types/index.js';

/**
 * Why a rollout did not train, in the order of the stages. A rollout with several trajectories that were dropped for
 * different reasons counts under the last of them here: the one that came nearest to training.
 */
export const DROP_REASONS = {
  failed: 'failed before their first step',
  no_steps: 'recorded no step',
  unnamed: 'have unnamed trajectories, which transform.imputeMissingNames = false drops',
  filtered_max_prompt_length_exceeded:
    'ended with max_prompt_length_exceeded, which compactFiltering leaves out',
  filtered_max_response_length_exceeded:
    'ended with max_response_length_exceeded, which compactFiltering leaves out',
  filtered_env_done: 'ended with env_done, which compactFiltering leaves out',
  filtered_max_turns_exceeded: 'ended with max_turns_exceeded, which compactFiltering leaves out',
  filtered_timeout: 'ended with timeout, which compactFiltering leaves out',
  filtered_unknown: 'ended with unknown, which compactFiltering leaves out',
  filtered_error: 'ended with error, which compactFiltering leaves out',
  not_grouped: 'were put into no group by the grouping hook',
  no_baseline: 'have no greedy rollout with a reward to be compared with',
  no_tokens: 'have no sampled token',
  prompt_missing: 'have a step without prompt tokens',
  logprobs_missing: 'have a step without log-probs',
  logprobs_length: 'have a step with another number of log-probs than of tokens',
  logprobs_not_finite: 'have a log-prob that is not finite',
  token_unknown: 'have a token that the model does not have',
  too_long: 'are longer than the context of the model',
  unscored: 'have no finite reward',
  lone_trajectory: 'were alone in their group, which algorithm.loneTrajectory = "drop" leaves out',
  too_few_trajectories: 'stood in a group smaller than rejectionSample.minTrajsPerGroup',
  uniform_group: 'stood in a group whose rewards are all equal',
  not_trained: 'were ready, but no update took them',
} as const;

export type DropReason = keyof typeof DROP_REASONS;

/** Why a backend cannot train on a trajectory. */
export type UntrainableReason = Extract<
  DropReason,
  'no_tokens' | 'prompt_missing' | `logprobs_${string}` | 'token_unknown' | 'too_long'
>;

/** What a stage left out for one reason: trajectories, or rollouts as a whole. */
export interface Dropped {
  readonly reason: DropReason;
  readonly rollouts: readonly Rollout[];
  /** Those left out, each of the rollout at the same place; none when the rollouts are meant as a whole. */
  readonly trajectories: readonly Trajectory[];
}

/** Which rollout: its episode, or as much of it. */
export type Rollout = Pick<TrajectoryOrigin, 'taskId' | 'rolloutIndex'>;

/** Which rollout each trajectory of a group comes from. */
export function rolloutsOf(group: TrajectoryGroup): readonly Rollout[] {
  const { trajectories, metadata } = group;
  return metadata.length === trajectories.length ? metadata : trajectories.map((_, i) => rolloutOf(group, i));
}

/** All trajectories of a group, as left out. */
export function droppedGroup(group: TrajectoryGroup, reason: DropReason): Dropped {
  return { reason, rollouts: rolloutsOf(group), trajectories: group.trajectories };
}

/** How many trajectories were left out on their own, not with their rollout. */
export function countTrajectories(dropped: readonly Dropped[]): number {
  return dropped.reduce((count, { trajectories }) => count + trajectories.length, 0);
}

/**
 * A group without the trajectories that there is a reason to leave out; the same group when there are none, and without any
 * trajectory when there are no others.
 *
 * @param dropped  gets them.
 */
export function leaveOut(
  group: TrajectoryGroup,
  reasonOf: (trajectory: Trajectory, i: number) => DropReason | undefined,
  dropped: Dropped[],
): TrajectoryGroup {
  const reasons = group.trajectories.map(reasonOf);
  if (reasons.every((reason) => reason === undefined)) return group;
  reasons.forEach((reason, i) => {
    if (reason === undefined) return;
    dropped.push({
      reason,
      rollouts: [rolloutOf(group, i)],
      trajectories: group.trajectories.slice(i, i + 1),
    });
  });
  const isKept = (_: unknown, i: number): boolean => reasons[i] === undefined;
  return {
    ...group,
    trajectories: group.trajectories.filter(isKept),
    metadata: group.metadata.filter(isKept),
  };
}
