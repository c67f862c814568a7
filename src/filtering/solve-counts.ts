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
  let task: { rollouts: number; correct: number } | undefined;
  let current: string | undefined;
  for (const { taskId, isCorrect, trajectories } of episodes) {
    if (isDropped(trajectories, dropped)) continue;
    // Rollouts of a task come in a row, so that mostly it is the task of the one before.
    if (task === undefined || taskId !== current) {
      current = taskId;
      task = byTask.get(taskId);
      if (task === undefined) {
        task = { rollouts: 0, correct: 0 };
        byTask.set(taskId, task);
      }
    }
    task.rollouts++;
    if (isCorrect) task.correct++;
  }
  const counts = { none: 0, all: 0, partial: 0 };
  for (const { rollouts, correct } of byTask.values()) {
    counts[correct === 0 ? 'none' : correct === rollouts ? 'all' : 'partial']++;
  }
  return counts;
}

/** True of a rollout without trajectories too. */
function isDropped(trajectories: readonly Trajectory[], dropped: ReadonlySet<Trajectory>): boolean {
  for (const trajectory of trajectories) if (!dropped.has(trajectory)) return false;
  return true;
}
