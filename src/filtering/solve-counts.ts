import type { Episode, Trajectory } from '../types/index.js';

/** Tasks by how many of their rollouts were correct. */
export interface SolveCounts {
  readonly none: number;
  readonly all: number;
  readonly partial: number;
}

/**
 * Counts tasks solved by none, all or some of their rollouts, as the reference does: a rollout counts while it has a trajectory
 * that is not in a dropped group. So trajectories that compact filtering left out, or that have no steps, still count (they
 * were in no group), and a rollout whose groups were all too small does not.
 */
export function countSolved(episodes: readonly Episode[], dropped: ReadonlySet<Trajectory>): SolveCounts {
  const byTask = new Map<string, { rollouts: number; correct: number }>();
  for (const { taskId, isCorrect, trajectories } of episodes) {
    if (trajectories.every((trajectory) => dropped.has(trajectory))) continue;
    const task = byTask.get(taskId) ?? { rollouts: 0, correct: 0 };
    task.rollouts++;
    if (isCorrect) task.correct++;
    byTask.set(taskId, task);
  }
  const counts = { none: 0, all: 0, partial: 0 };
  for (const { rollouts, correct } of byTask.values()) {
    counts[correct === 0 ? 'none' : correct === rollouts ? 'all' : 'partial']++;
  }
  return counts;
}
