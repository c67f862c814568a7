import { formatPath, type RllmConfig } from '../config/index.js';
import { suggestion } from '../nearest.js';
import { type Episode, type Trajectory, type TrajectoryGroup, wholeOf } from '../types/index.js';

export interface FirstStepWarning {
  readonly code: 'ROLE_UNSEEN' | 'REWARDS_ALL_ZERO';
  /** Where the role is named. */
  readonly about: string;
  readonly message: string;
}

/**
 * What is most likely a mistake, though nothing forbids it, and shows once rollouts are there: the config names a role that none of
 * them has, or no rollout has any reward.
 *
 * @param groups  of the episodes; what compact filtering left out of them, say, counts as well.
 */
export function firstStepWarnings(
  config: RllmConfig,
  episodes: readonly Episode[],
  groups: readonly TrajectoryGroup[],
): readonly FirstStepWarning[] {
  if (groups.length === 0) return [];
  const leftOut = ungrouped(episodes, groups);
  return [...unseenRoles(config, episodes, groups, leftOut), ...rewardsAllZero(episodes, groups, leftOut)];
}

function ungrouped(episodes: readonly Episode[], groups: readonly TrajectoryGroup[]): readonly Trajectory[] {
  const grouped = new Set(groups.flatMap(({ trajectories }) => trajectories.map(wholeOf)));
  return episodes.flatMap(({ trajectories }) => trajectories.filter((one) => !grouped.has(one)));
}

function unseenRoles(
  { algorithm, reward }: RllmConfig,
  episodes: readonly Episode[],
  groups: readonly TrajectoryGroup[],
  leftOut: readonly Trajectory[],
): FirstStepWarning[] {
  const roles = [...new Set([...groups.map(({ role }) => role), ...leftOut.map(({ name }) => name)])];
  // Reward functions go by the names of trajectories, of which a hook may make other roles.
  const names = [...new Set(episodes.flatMap(({ trajectories }) => trajectories.map(({ name }) => name)))];
  return [
    ...(['estimatorMap', 'lossFnMap'] as const).flatMap((map) =>
      Object.keys(algorithm[map]).flatMap((role) => unseen(role, roles, ['algorithm', map, role])),
    ),
    ...reward.functions.flatMap((one, f) =>
      (one.roles ?? []).flatMap((role) => unseen(role, names, ['reward', 'functions', String(f), 'roles'])),
    ),
  ];
}

function unseen(role: string, seen: readonly string[], path: readonly string[]): FirstStepWarning[] {
  if (seen.includes(role)) return [];
  const at = formatPath(path);
  return [
    {
      code: 'ROLE_UNSEEN',
      about: `${at} ${role}`,
      message: `${at} names the role "${role}", which no rollout of the first step has. ${suggestion(role, seen)}`,
    },
  ];
}

function rewardsAllZero(
  episodes: readonly Episode[],
  groups: readonly TrajectoryGroup[],
  leftOut: readonly Trajectory[],
): FirstStepWarning[] {
  const isAnyRewarded =
    groups.some(({ trajectories }) => trajectories.some(isRewarded)) || leftOut.some(isRewarded);
  if (isAnyRewarded || episodes.length < 2) return [];
  const cut = episodes.filter(({ terminationReason }) => terminationReason === 'timeout').length;
  const late = cut === 0 ? '' : ` ${cut} of the rollouts were cut off at workflow.timeoutMs.`;
  return [
    {
      code: 'REWARDS_ALL_ZERO',
      about: '',
      message: `Every reward of the first step is 0, in ${episodes.length} rollouts, so that none is better than another.${late} Rewards come from the workflow, by agent.reward(…), or from reward.functions.`,
    },
  ];
}

/** By its total, or by a named part alone. */
function isRewarded({ reward = 0, rewards = {} }: Trajectory): boolean {
  return reward !== 0 || Object.values(rewards).some((part) => part !== 0);
}
