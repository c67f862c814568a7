import type { TransformConfig } from '../config/types.js';
import type { Dropped } from '../filtering/index.js';
import { DEFAULT_TRAJECTORY_NAME, type Episode, type Trajectory } from '../types/index.js';

export interface PreparedEpisodes {
  /** The episodes given, or shallow copies of those that lost a trajectory; none without trajectories. */
  readonly episodes: readonly Episode[];
  readonly dropped: readonly Dropped[];
}

/** Names every unnamed trajectory `default_traj_name_{position}`, by its position among all trajectories of its episode. */
export function imputeNames(episodes: readonly Episode[]): void {
  for (const { trajectories } of episodes) {
    for (let position = 0; position < trajectories.length; position++) {
      const trajectory = trajectories[position] as Trajectory;
      if (isUnnamed(trajectory)) trajectory.name = `${DEFAULT_TRAJECTORY_NAME}_${position}`;
    }
  }
}

/** Gives every trajectory with steps and without a reward that of its last step, or the sum of its steps. */
export function propagateRewards(
  episodes: readonly Episode[],
  source: TransformConfig['trajectoryReward'],
): void {
  if (source === 'none') return;
  for (const { trajectories } of episodes) {
    for (const trajectory of trajectories) {
      const last = trajectory.steps.at(-1);
      if (last === undefined || !isMissing(trajectory.reward)) continue;
      trajectory.reward =
        source === 'last' ? last.reward : trajectory.steps.reduce((sum, step) => sum + step.reward, 0);
    }
  }
}

/** Leaves out what has nothing to train on: trajectories without steps and, unless names are imputed, without a name. */
export function keepTrainable(episodes: readonly Episode[]): PreparedEpisodes {
  if (episodes.every(({ trajectories }) => trajectories.length > 0 && trajectories.every(isTrainable))) {
    return { episodes, dropped: [] };
  }
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
