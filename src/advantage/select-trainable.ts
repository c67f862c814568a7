import type { AlgorithmConfig } from '../config/types.js';
import { RllmError } from '../errors.js';
import {
  type Dropped,
  type DropReason,
  droppedGroup,
  leaveOut,
  RewardReading,
  unsoundComponent,
} from '../filtering/index.js';
import type { Ragged } from '../ragged.js';
import { rolloutOf, type Trajectory, type TrajectoryGroup } from '../types/index.js';

export interface Selection {
  /** What trains; the same objects where nothing was left out. */
  readonly groups: readonly TrajectoryGroup[];
  readonly dropped: readonly Dropped[];
  /** Rewards of `groups`, in fresh memory; NaN where a group with precomputed advantages has none. */
  readonly rewards: Ragged;
  /** Whether any trajectory has named parts of its reward. */
  readonly haveParts: boolean;
}

/**
 * Leaves out what cannot train, before its group is compared: trajectories whose reward, or a named part of it, is not finite under
 * `missingReward: "exclude"` (reason `unscored`, and a group without any scored one goes), then groups of one under
 * `loneTrajectory: "drop"`. Other groups are never touched. Groups with precomputed advantages need no reward and pass as they are.
 *
 * Doing it twice changes nothing, so the trainer may call it early, for the backend's batch to hold only what trains.
 *
 * @param known  the rewards of the groups, where they are read already: all there, finite, and without named parts.
 * @throws RllmError REWARD_MISSING, REWARD_NOT_FINITE under `missingReward: "error"`; the message names task, rollout and role.
 *   EMPTY_GROUP for a group given without trajectories.
 */
export function selectTrainable(
  groups: readonly TrajectoryGroup[],
  algorithm: AlgorithmConfig,
  known?: Ragged,
): Selection {
  if (known !== undefined && known.length === groups.length && passWhole(known, algorithm)) {
    return { groups, dropped: [], rewards: known, haveParts: false };
  }
  const dropped: Dropped[] = [];
  const rewards = new RewardReading(groups.length, groups.length * (groups[0]?.trajectories.length ?? 0));
  // A list of its own from where it is another one than that given.
  let kept: TrajectoryGroup[] | undefined;
  let count = 0;
  for (let g = 0; g < groups.length; g++) {
    const group = groups[g] as TrajectoryGroup;
    const trainable = readTrainable(group, algorithm, rewards, dropped);
    if (trainable === undefined) continue;
    if (kept === undefined && (count < g || trainable !== group)) kept = groups.slice(0, count);
    kept?.push(trainable);
    count++;
  }
  return {
    groups: kept ?? (count === groups.length ? groups : groups.slice(0, count)),
    dropped,
    rewards: rewards.finish(),
    haveParts: rewards.haveParts,
  };
}

/** Whether groups of which every reward is there can train as they are. */
function passWhole({ starts, length }: Ragged, algorithm: AlgorithmConfig): boolean {
  if (algorithm.usePrecomputedAdvantage) return false;
  if (algorithm.loneTrajectory !== 'drop') return true;
  for (let g = 0; g < length; g++) if ((starts[g + 1] as number) - (starts[g] as number) === 1) return false;
  return true;
}

/** What of a group can train, with its rewards read; undefined when nothing of it can. */
function readTrainable(
  group: TrajectoryGroup,
  algorithm: AlgorithmConfig,
  rewards: RewardReading,
  dropped: Dropped[],
): TrajectoryGroup | undefined {
  if (isPrecomputed(group, algorithm)) {
    rewards.add(group.trajectories);
    return group;
  }
  if (group.trajectories.length === 0) {
    throw new RllmError(
      'EMPTY_GROUP',
      `Group "${group.groupId}" of role "${group.role}" has no trajectories.`,
    );
  }
  const areScored = rewards.add(group.trajectories);
  if (!areScored) rewards.takeBack();
  const scored = areScored ? group : withoutUnscored(group, algorithm, dropped);
  if (scored.trajectories.length === 0) return undefined;
  if (!areScored) rewards.add(scored.trajectories);
  if (scored.trajectories.length === 1 && algorithm.loneTrajectory === 'drop') {
    dropped.push(droppedGroup(scored, 'lone_trajectory'));
    rewards.takeBack();
    return undefined;
  }
  return scored;
}

/** Whether the group's advantages come from its workflow: it is asked for, and at least one step has one. */
export function isPrecomputed(group: TrajectoryGroup, algorithm: AlgorithmConfig): boolean {
  return algorithm.usePrecomputedAdvantage && carriesAdvantages(group);
}

export function carriesAdvantages(group: TrajectoryGroup): boolean {
  return group.trajectories.some(({ steps }) => steps.some(({ advantage }) => advantage !== undefined));
}

function withoutUnscored(
  group: TrajectoryGroup,
  algorithm: AlgorithmConfig,
  dropped: Dropped[],
): TrajectoryGroup {
  const reasonOf = (trajectory: Trajectory, i: number): DropReason | undefined => {
    if (isScored(trajectory)) return undefined;
    if (algorithm.missingReward === 'error') throw unscored(group, i);
    return 'unscored';
  };
  return leaveOut(group, reasonOf, dropped);
}

function isScored(trajectory: Trajectory): boolean {
  if (!Number.isFinite(trajectory.reward)) return false;
  return trajectory.rewards === undefined || unsoundComponent(trajectory) === undefined;
}

function unscored(group: TrajectoryGroup, i: number): RllmError {
  const { taskId, rolloutIndex } = rolloutOf(group, i);
  const { role } = group;
  const trajectory = group.trajectories[i];
  const reward = trajectory?.reward;
  const where = `rollout ${rolloutIndex} of task "${taskId}", role "${role}"`;
  const details = { taskId, rolloutIndex, role, groupId: group.groupId };
  const part =
    trajectory === undefined || !Number.isFinite(reward) ? undefined : unsoundComponent(trajectory);
  if (part !== undefined) {
    const value = String(trajectory?.rewards?.[part]);
    return new RllmError(
      'REWARD_NOT_FINITE',
      `The part "${part}" of the reward of ${where} is ${value}, not a finite number.`,
      { details: { ...details, part } },
    );
  }
  return reward === undefined || reward === null
    ? new RllmError('REWARD_MISSING', `No reward was set for ${where}.`, { details })
    : new RllmError(
        'REWARD_NOT_FINITE',
        `The reward of ${where} is ${String(reward)}, not a finite number.`,
        {
          details,
        },
      );
}
