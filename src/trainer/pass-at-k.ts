import type { Metrics } from '../types/index.js';

/** What validation knows of one rollout. */
export interface GradedRollout {
  readonly taskId: string;
  readonly dataSource: string;
  readonly isCorrect: boolean;
}

/**
 * Chance that at least one of k rollouts drawn without replacement from n, of which c are correct, is correct:
 * 1 − C(n−c, k) / C(n, k), computed as a product so that nothing overflows.
 *
 * With k = n it is 1 exactly when any rollout is correct, as rLLM counts.
 *
 * @param n  rollouts of the task, n ≥ k ≥ 1.
 * @param c  how many of them are correct.
 * @see Chen et al. 2021, https://arxiv.org/abs/2107.03374
 */
export function passAtK(n: number, c: number, k: number): number {
  if (n - c < k) return 1;
  let allWrong = 1;
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

/**
 * `val/{source}/pass@k` per data source, over all rollouts given.
 *
 * `pass@1` is the share of correct rollouts. `pass@k`, for k = 2, 4, 8, … below `nVal` and for `nVal` itself, is the mean over
 * the tasks with at least k rollouts; a source without such a task has no such metric.
 *
 * @param nVal  rollouts per validation task that were asked for.
 */
export function passMetrics(rollouts: readonly GradedRollout[], nVal: number): Metrics {
  const metrics: Metrics = {};
  for (const [source, tasks] of taskCountsBySource(rollouts)) {
    const counts = [...tasks.values()];
    const n = counts.reduce((sum, count) => sum + count.n, 0);
    const c = counts.reduce((sum, count) => sum + count.c, 0);
    metrics[`val/${source}/pass@1`] = c / n;
    for (const k of sampleSizes(nVal)) {
      const enough = counts.filter((count) => count.n >= k);
      if (enough.length === 0) continue;
      const sum = enough.reduce((total, count) => total + passAtK(count.n, count.c, k), 0);
      metrics[`val/${source}/pass@${k}`] = sum / enough.length;
    }
  }
  return metrics;
}

/** 2, 4, 8, … below n, then n; nothing for n = 1. */
function sampleSizes(n: number): readonly number[] {
  const sizes: number[] = [];
  for (let k = 2; k < n; k *= 2) sizes.push(k);
  return n > 1 ? [...sizes, n] : sizes;
}

type Counts = Map<string, { n: number; c: number }>;

function taskCountsBySource(rollouts: readonly GradedRollout[]): Map<string, Counts> {
  const sources = new Map<string, Counts>();
  for (const { dataSource, taskId, isCorrect } of rollouts) {
    const tasks: Counts = sources.get(dataSource) ?? new Map();
    sources.set(dataSource, tasks);
    const count = tasks.get(taskId) ?? { n: 0, c: 0 };
    tasks.set(taskId, { n: count.n + 1, c: count.c + Number(isCorrect) });
  }
  return sources;
}
