import type { TransformConfig } from '../config/types.js';
import type { Dropped } from '../filtering/index.js';
import { DEFAULT_TRAJECTORY_NAME, type Episode, type Trajectory } from '../types/index.js';

export interface PreparedEpisodes {
  /** The episodes given, or shallow copies of those that lost a trajectory; none without trajectories. */
  readonly episodes: readonly Episode[];
  readonly dropped: readonly Dropped[];
}

/** What there is in a batch. */
export interface CompletedEpisodes {
  readonly trajectories: number;
  /** Whether `keepTrainable` has nothing to leave out. */
  readonly areTrainable: boolean;
}

/**
 * Gives every trajectory what it lacks. Unnamed ones are named `default_traj_name_{position}`, by their position among all of
 * their episode, where names are imputed. Those with steps and without a reward get that of their last step, or the sum of
 * their steps, by `trajectoryReward`.
 */
export function completeTrajectories(
  episodes: readonly Episode[],
  { imputeMissingNames, trajectoryReward }: TransformConfig,
): CompletedEpisodes {
  let count = 0;
  let areTrainable = true;
  for (const { trajectories } of episodes) {
    count += trajectories.length;
    if (trajectories.length === 0) areTrainable = false;
    for (let position = 0; position < trajectories.length; position++) {
      const trajectory = trajectories[position] as Trajectory;
      if (imputeMissingNames && isUnnamed(trajectory)) {
        trajectory.name = `${DEFAULT_TRAJECTORY_NAME}_${position}`;
      }
      if (isMissing(trajectory.reward)) propagateReward(trajectory, trajectoryReward);
      if (!isTrainable(trajectory)) areTrainable = false;
    }
  }
  return { trajectories: count, areTrainable };
}

function propagateReward(trajectory: Trajectory, source: TransformConfig['trajectoryReward']): void {
  const last = trajectory.steps.at(-1);
  if (last === undefined || source === 'none') return;
  trajectory.reward =
    source === 'last' ? last.reward : trajectory.steps.reduce((sum, step) => sum + step.reward, 0);
}

/** Leaves out what has nothing to train on: trajectories without steps and, unless names are imputed, without a name. */
export function keepTrainable(episodes: readonly Episode[]): PreparedEpisodes {
  const kept: Episode[] = [];
  const dropped: Dropped[] = [];
  for (const episode of episodes) {
    const { taskId, rolloutIndex, terminationReason, trajectories } = episode;
    if (trajectories.length > 0 && trajectories.every(isTrainable)) {
      kept.push(episode);
      continue;
    }
    const nothing = terminationReason === 'error' ? 'failed' : 'no_steps';
    if (trajectories.length === 0) {
      dropped.push({ reason: nothing, taskId, rolloutIndex, trajectory: null });
      continue;
    }
    const trainable: Trajectory[] = [];
    for (const trajectory of trajectories) {
      if (trajectory.steps.length === 0) dropped.push({ reason: nothing, taskId, rolloutIndex, trajectory });
      else if (isUnnamed(trajectory)) dropped.push({ reason: 'unnamed', taskId, rolloutIndex, trajectory });
      else trainable.push(trajectory);
    }
    if (trainable.length > 0) kept.push({ ...episode, trajectories: trainable });
  }
  return { episodes: kept, dropped };
}

function isTrainable(trajectory: Trajectory): boolean {
  return trajectory.steps.length > 0 && !isUnnamed(trajectory);
}

function isUnnamed({ name }: Trajectory): boolean {
  return !name || name === DEFAULT_TRAJECTORY_NAME;
}

function isMissing(reward: number | null | undefined): boolean {
  return reward === undefined || reward === null;
}
