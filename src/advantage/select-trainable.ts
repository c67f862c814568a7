import type { AlgorithmConfig } from '../config/types.js';
import { RllmError } from '../errors.js';
import { type Dropped, dropGroup, droppedOf } from '../filtering/index.js';
import { Ragged } from '../ragged.js';
import { rolloutOf, type Trajectory, type TrajectoryGroup, type TrajectoryOrigin } from '../types/index.js';
import { unsoundComponent } from './reward-components.js';

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
 * @throws RllmError REWARD_MISSING, REWARD_NOT_FINITE under `missingReward: "error"`; the message names task, rollout and role.
 *   EMPTY_GROUP for a group given without trajectories.
 */
export function selectTrainable(groups: readonly TrajectoryGroup[], algorithm: AlgorithmConfig): Selection {
  const dropped: Dropped[] = [];
  const expected = groups.length * (groups[0]?.trajectories.length ?? 0);
  const read = { rewards: new Float64Array(expected), end: 0, haveParts: false };
  const starts = new Uint32Array(groups.length + 1);
  // A list of its own from where it is another one than that given.
  let kept: TrajectoryGroup[] | undefined;
  let count = 0;
  for (let g = 0; g < groups.length; g++) {
    const group = groups[g] as TrajectoryGroup;
    const trainable = readTrainable(group, algorithm, read, dropped);
    if (trainable === undefined) continue;
    if (kept === undefined && (count < g || trainable !== group)) kept = groups.slice(0, count);
    kept?.push(trainable);
    starts[++count] = read.end;
  }
  return {
    groups: kept ?? (count === groups.length ? groups : groups.slice(0, count)),
    dropped,
    rewards: new Ragged(read.rewards.subarray(0, read.end), starts.subarray(0, count + 1)),
    haveParts: read.haveParts,
  };
}

/** Rewards, read on the way: to go through all trajectories once more takes longer than what is done with them. */
interface Reading {
  /** As long as it has to be, or longer. */
  rewards: Float64Array<ArrayBuffer>;
  end: number;
  haveParts: boolean;
}

/** What of a group can train, and its rewards appended; undefined when nothing of it can. */
function readTrainable(
  group: TrajectoryGroup,
  algorithm: AlgorithmConfig,
  read: Reading,
  dropped: Dropped[],
): TrajectoryGroup | undefined {
  if (isPrecomputed(group, algorithm)) {
    readRewards(group, read);
    return group;
  }
  if (group.trajectories.length === 0) {
    throw new RllmError(
      'EMPTY_GROUP',
      `Group "${group.groupId}" of role "${group.role}" has no trajectories.`,
    );
  }
  const start = read.end;
  const areScored = readRewards(group, read);
  if (!areScored) read.end = start;
  const scored = areScored ? group : withoutUnscored(group, algorithm, dropped);
  if (scored.trajectories.length === 0) return undefined;
  if (scored.trajectories.length === 1 && algorithm.loneTrajectory === 'drop') {
    dropGroup(scored, 'lone_trajectory', dropped);
    read.end = start;
    return undefined;
  }
  if (!areScored) readRewards(scored, read);
  return scored;
}

/** Appends the rewards of a group. @returns whether each of them is finite, and its parts are */
function readRewards({ trajectories }: TrajectoryGroup, read: Reading): boolean {
  let areScored = true;
  reserve(read, trajectories.length);
  for (let i = 0; i < trajectories.length; i++) {
    const trajectory = trajectories[i] as Trajectory;
    const reward = trajectory.reward ?? Number.NaN;
    read.rewards[read.end++] = reward;
    if (!Number.isFinite(reward)) areScored = false;
    if (trajectory.rewards !== undefined) {
      read.haveParts = true;
      if (unsoundComponent(trajectory) !== undefined) areScored = false;
    }
  }
  return areScored;
}

function reserve(read: Reading, more: number): void {
  if (read.end + more <= read.rewards.length) return;
  const wide = new Float64Array(2 * (read.end + more));
  wide.set(read.rewards);
  read.rewards = wide;
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
  const trajectories: Trajectory[] = [];
  const metadata: TrajectoryOrigin[] = [];
  group.trajectories.forEach((trajectory, i) => {
    const origin = group.metadata[i];
    if (isScored(trajectory)) {
      trajectories.push(trajectory);
      if (origin !== undefined) metadata.push(origin);
      return;
    }
    if (algorithm.missingReward === 'error') throw unscored(group, i);
    dropped.push(droppedOf(group, i, 'unscored'));
  });
  return { ...group, trajectories, metadata };
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
