import type { TransformConfig } from '../config/types.js';
import { type Dropped, droppedGroup } from '../filtering/index.js';
import type { Episode, Trajectory, TrajectoryGroup } from '../types/index.js';
import { completeEpisode } from './prepare-episodes.js';

export interface AttachOptions {
  readonly transform: TransformConfig;
  /** Whether groups of a role cannot train without a baseline. */
  needsBaseline(role: string): boolean;
  /** `exclude` drops such groups where their greedy rollout failed; `error` leaves them, to be an error when advantages are collected. */
  readonly missing: 'error' | 'exclude';
}

/**
 * Gives each group the trajectories that the greedy rollouts of its task made in its role, as `baselines`. Names and rewards of
 * these are completed like those of any rollout.
 */
export function attachBaselines(
  groups: readonly TrajectoryGroup[],
  greedy: readonly Episode[],
  { transform, needsBaseline, missing }: AttachOptions,
): { readonly groups: readonly TrajectoryGroup[]; readonly dropped: readonly Dropped[] } {
  for (const episode of greedy) completeEpisode(episode, transform);
  const kept: TrajectoryGroup[] = [];
  const dropped: Dropped[] = [];
  const byTask = new Map<string, Trajectory[]>();
  for (const { taskId, trajectories } of greedy) {
    byTask.set(taskId, [...(byTask.get(taskId) ?? []), ...trajectories]);
  }
  for (const group of groups) {
    const baselines = (byTask.get(group.taskId) ?? []).filter(({ name }) => name === group.role);
    const lacks = needsBaseline(group.role) && !baselines.some(({ reward }) => Number.isFinite(reward));
    if (lacks && missing === 'exclude') dropped.push(droppedGroup(group, 'no_baseline'));
    else kept.push(baselines.length === 0 ? group : { ...group, baselines });
  }
  return { groups: kept, dropped };
}
