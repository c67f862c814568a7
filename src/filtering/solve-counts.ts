import { TextNumbers } from '../text-numbers.js';
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
  const tasks = new TextNumbers();
  const outcomes = new Uint8Array(episodes.length);
  const areDropped = dropped.size > 0;
  let current: string | undefined;
  let task = 0;
  let outcome = 0;
  for (let e = 0; e < episodes.length; e++) {
    const { taskId, isCorrect, trajectories } = episodes[e] as Episode;
    if (trajectories.length === 0 || (areDropped && trajectories.every((one) => dropped.has(one)))) continue;
    // Rollouts of a task come in a row, so that mostly it is the task of the one before.
    if (taskId !== current) {
      outcomes[task] = (outcomes[task] as number) | outcome;
      current = taskId;
      task = tasks.numberOf(taskId);
      outcome = 0;
    }
    outcome |= isCorrect ? CORRECT : WRONG;
  }
  if (current !== undefined) outcomes[task] = (outcomes[task] as number) | outcome;
  const counts = { none: 0, all: 0, partial: 0 };
  for (let t = 0; t < tasks.size; t++) {
    counts[outcomes[t] === WRONG ? 'none' : outcomes[t] === CORRECT ? 'all' : 'partial']++;
  }
  return counts;
}

/** What the rollouts of a task were, as bits: some of them correct, some of them wrong. */
const CORRECT = 1;
const WRONG = 2;
