import type { Episode, Metrics } from '../types/index.js';
import { hasNoSteps, workflowMetrics } from './episode-metrics.js';
import { passMetrics } from './pass-at-k.js';

/** A validation rollout and the data source of its task. */
export interface ValidationRollout {
  readonly episode: Episode;
  readonly dataSource: string;
}

/**
 * `val/{source}/…` of a whole validation: pass@k, each workflow metric by its rule, and how many tasks and rollouts there were.
 *
 * Every rollout counts once, whatever the number of its trajectories and steps; one without steps counts as wrong and is
 * reported in `dropped`. All means are over rollouts, not over batches.
 *
 * @param nVal  rollouts per validation task that were asked for.
 */
export function validationMetrics(rollouts: readonly ValidationRollout[], nVal: number): Metrics {
  const metrics: Metrics = {};
  for (const [source, episodes] of episodesBySource(rollouts)) {
    for (const [key, value] of Object.entries(workflowMetrics(episodes)))
      metrics[`val/${source}/${key}`] = value;
    metrics[`val/${source}/tasks`] = new Set(episodes.map((episode) => episode.taskId)).size;
    metrics[`val/${source}/rollouts`] = episodes.length;
    metrics[`val/${source}/dropped`] = episodes.filter(hasNoSteps).length;
  }
  const graded = rollouts.map(({ episode, dataSource }) => ({
    taskId: episode.taskId,
    isCorrect: episode.isCorrect,
    dataSource,
  }));
  return { ...metrics, ...passMetrics(graded, nVal) };
}

function episodesBySource(rollouts: readonly ValidationRollout[]): Map<string, Episode[]> {
  const sources = new Map<string, Episode[]>();
  for (const { episode, dataSource } of rollouts) {
    const episodes = sources.get(dataSource);
    if (episodes === undefined) sources.set(dataSource, [episode]);
    else episodes.push(episode);
  }
  return sources;
}
