import { TextNumbers } from '../text-numbers.js';
import type { Episode, Trajectory } from '../types/index.js';

/** Tasks by how many of their rollouts were correct. */
export interface SolveCounts {
  readonly none: number;
  readonly all: number;
  readonly partial: number;
}

/** Counts tasks by how many of their rollouts were correct, one rollout after the other. */
export class SolveCounter {
  readonly #tasks = new TextNumbers();
  /** What the rollouts of each task were. */
  readonly #outcomes: Uint8Array;
  /** The task at hand: rollouts of a task come in a row, so that mostly it is the task of the one before. */
  #taskId: string | undefined;
  #task = 0;
  #outcome = 0;

  /** @param capacity  as many tasks as there may be, or more. */
  constructor(capacity: number) {
    this.#outcomes = new Uint8Array(capacity);
  }

  /** Takes a rollout. @returns the number of its task, from 0 on */
  add(taskId: string, isCorrect: boolean): number {
    if (taskId !== this.#taskId) {
      this.#endRow();
      this.#taskId = taskId;
      this.#task = this.#tasks.numberOf(taskId);
      this.#outcome = 0;
    }
    this.#outcome |= isCorrect ? CORRECT : WRONG;
    return this.#task;
  }

  counts(): SolveCounts {
    this.#endRow();
    const counts = { none: 0, all: 0, partial: 0 };
    for (let t = 0; t < this.#tasks.size; t++) {
      const outcome = this.#outcomes[t];
      counts[outcome === WRONG ? 'none' : outcome === CORRECT ? 'all' : 'partial']++;
    }
    return counts;
  }

  #endRow(): void {
    this.#outcomes[this.#task] = (this.#outcomes[this.#task] as number) | this.#outcome;
  }
}

/** As bits: some of them correct, some of them wrong. */
const CORRECT = 1;
const WRONG = 2;

/**
 * Counts tasks solved by none, all or some of their rollouts, as the reference does: a rollout counts while it has a trajectory
 * that is not in a dropped group. So trajectories that compact filtering left out, or that have no steps, still count (they
 * were in no group), and a rollout whose groups were all too small does not.
 */
export function countSolved(episodes: readonly Episode[], dropped: ReadonlySet<Trajectory>): SolveCounts {
  const counter = new SolveCounter(episodes.length);
  const areDropped = dropped.size > 0;
  for (let e = 0; e < episodes.length; e++) {
    const { taskId, isCorrect, trajectories } = episodes[e] as Episode;
    if (trajectories.length === 0 || (areDropped && trajectories.every((one) => dropped.has(one)))) continue;
    counter.add(taskId, isCorrect);
  }
  return counter.counts();
}
