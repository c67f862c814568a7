import type { CompactFilteringConfig, TransformConfig } from '../../src/config/types.js';
import type { Dropped } from '../../src/filtering/index.js';
import type { GroupingHook } from '../../src/grouping/index.js';
import {
  type TransformResult,
  taskRoleGrouping,
  transformEpisodesToTrajectoryGroups,
} from '../../src/grouping/index.js';
import {
  createEpisode,
  createStep,
  createTrajectory,
  type Episode,
  type TerminationReason,
  type Trajectory,
} from '../../src/types/index.js';

export const TRANSFORM: TransformConfig = {
  groupingHook: 'task_role',
  groupingOptions: {},
  imputeMissingNames: true,
  trajectoryReward: 'last',
};

export const NO_COMPACT_FILTERING: CompactFilteringConfig = {
  enable: false,
  maskMaxPromptLengthExceeded: false,
  maskMaxResponseLengthExceeded: false,
  maskEnvDone: false,
  maskMaxTurnsExceeded: false,
  maskTimeout: false,
  maskUnknown: false,
  maskError: false,
};

/** A trajectory with one step per reward of a step; unnamed without a role. */
export function trajectory(
  role: string | undefined,
  reward?: number,
  stepRewards: readonly number[] = [0],
): Trajectory {
  return createTrajectory({
    ...(role === undefined ? {} : { name: role }),
    ...(reward === undefined ? {} : { reward }),
    steps: stepRewards.map((own) => createStep({ responseIds: [1, 2], reward: own })),
  });
}

export function episode(
  taskId: string,
  rolloutIndex: number,
  trajectories: readonly Trajectory[],
  options: { reason?: TerminationReason; isCorrect?: boolean } = {},
): Episode {
  const { reason, isCorrect = false } = options;
  return createEpisode({
    taskId,
    rolloutIndex,
    isCorrect,
    trajectories: [...trajectories],
    ...(reason === undefined ? {} : { terminationReason: reason }),
  });
}

export function transform(
  episodes: readonly Episode[],
  options: {
    transform?: Partial<TransformConfig>;
    compactFiltering?: Partial<CompactFilteringConfig>;
    hook?: GroupingHook;
  } = {},
): TransformResult {
  return transformEpisodesToTrajectoryGroups(episodes, {
    transform: { ...TRANSFORM, ...options.transform },
    compactFiltering: { ...NO_COMPACT_FILTERING, ...options.compactFiltering },
    groupingHook: options.hook ?? taskRoleGrouping,
  });
}

/** Group ids and rewards. */
export function rewardsByGroup({ groups }: TransformResult): [string, (number | undefined)[]][] {
  return groups.map(({ groupId, trajectories }) => [groupId, trajectories.map(({ reward }) => reward)]);
}

/** What was left out, a rollout each: reason, task, index. */
export function leftOut(dropped: readonly Dropped[]): [string, string, number][] {
  return dropped.flatMap(({ reason, rollouts }) =>
    rollouts.map(({ taskId, rolloutIndex }): [string, string, number] => [reason, taskId, rolloutIndex]),
  );
}
