import type { TransformConfig } from '../config/types.js';
import type { Dropped } from '../filtering/index.js';
import { DEFAULT_TRAJECTORY_NAME, type Episode, type Trajectory } from '../types/index.js';

/**
 * Gives every trajectory of an episode what it lacks. Unnamed ones are named `default_traj_name_{position}`, by their position
 * among all of the episode, where names are imputed. Those with steps and without a reward get that of their last step, or the sum
 * of their steps, by `trajectoryReward`.
 *
 * @returns  whether all of it can train: `keepTrainable` has nothing to leave out.
 */
export function completeEpisode(
  { trajectories }: Episode,
  { imputeMissingNames, trajectoryReward }: TransformConfig,
): boolean {
  let isWhole = trajectories.length > 0;
  for (let position = 0; position < trajectories.length; position++) {
    const trajectory = trajectories[position] as Trajectory;
    if (imputeMissingNames && isUnnamed(trajectory)) {
      trajectory.name = `${DEFAULT_TRAJECTORY_NAME}_${position}`;
    }
    if (isMissing(trajectory.reward)) propagateReward(trajectory, trajectoryReward);
    if (!isTrainable(trajectory)) isWhole = false;
  }
  return isWhole;
}

function propagateReward(trajectory: Trajectory, source: TransformConfig['trajectoryReward']): void {
  const last = trajectory.steps.at(-1);
  if (last === undefined || source === 'none') return;
  trajectory.reward =
    source === 'last' ? last.reward : trajectory.steps.reduce((sum, step) => sum + step.reward, 0);
}

/**
 * What of an episode can train: all but trajectories without steps and, unless names are imputed, without a name.
 *
 * @param dropped  gets an entry for each of these, or one for an episode without trajectories.
 * @returns        a shallow copy of the episode with fewer trajectories; undefined when none is left.
 */
export function keepTrainable(episode: Episode, dropped: Dropped[]): Episode | undefined {
  const { terminationReason, trajectories } = episode;
  const rollouts = [episode];
  const nothing = terminationReason === 'error' ? 'failed' : 'no_steps';
  if (trajectories.length === 0) dropped.push({ reason: nothing, rollouts, trajectories });
  const trainable: Trajectory[] = [];
  for (const trajectory of trajectories) {
    if (isTrainable(trajectory)) trainable.push(trajectory);
    else {
      const reason = trajectory.steps.length === 0 ? nothing : 'unnamed';
      dropped.push({ reason, rollouts, trajectories: [trajectory] });
    }
  }
  return trainable.length === 0 ? undefined : { ...episode, trajectories: trainable };
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
