import { ownValue } from '../own-value.js';
import {
  type Episode,
  type MetricRule,
  type Metrics,
  TERMINATION_REASONS,
  type TerminationReason,
} from '../types/index.js';

/**
 * `batch/…` of all rollouts of a step, trained or not: each metric the workflow gave, over the rollouts that have it, by
 * its own rule, else the mean; the share of each termination reason; `batch/solve_rate`, the share of correct rollouts.
 *
 * A rollout without a reason counts as `unknown`. No rollouts give no metrics.
 */
export function batchMetrics(episodes: readonly Episode[]): Metrics {
  if (episodes.length === 0) return {};
  const metrics: Metrics = {};
  for (const [key, value] of Object.entries(workflowMetrics(episodes))) metrics[`batch/${key}`] = value;
  const ended: Partial<Record<TerminationReason, number>> = {};
  for (const { terminationReason } of episodes) {
    const reason = terminationReason ?? 'unknown';
    ended[reason] = (ended[reason] ?? 0) + 1;
  }
  for (const reason of TERMINATION_REASONS) {
    metrics[`batch/termination_reason/${reason}`] = (ended[reason] ?? 0) / episodes.length;
  }
  metrics['batch/solve_rate'] = solveRate(episodes);
  return metrics;
}

/** Share of episodes that are correct. */
export function solveRate(episodes: readonly Episode[]): number {
  let correct = 0;
  for (const { isCorrect } of episodes) if (isCorrect) correct++;
  return correct / episodes.length;
}

/** Each workflow metric over the episodes that have it, reduced by the rule that it was given with; never by its name. */
export function workflowMetrics(episodes: readonly Episode[]): Metrics {
  const values = new Map<string, number[]>();
  const rules: Record<string, MetricRule> = {};
  for (const { metrics, metricRules } of episodes) {
    if (metricRules !== undefined) Object.assign(rules, metricRules);
    for (const key in metrics) {
      const value = metrics[key] as number;
      const list = values.get(key);
      if (list === undefined) values.set(key, [value]);
      else list.push(value);
    }
  }
  return Object.fromEntries(
    [...values].map(([key, list]) => [key, REDUCE[ownValue(rules, key) ?? 'mean'](list)]),
  );
}

/** True for a rollout in which the model was never heard: it counts as wrong, and as dropped. */
export function hasNoSteps(episode: Episode): boolean {
  return episode.trajectories.every((trajectory) => trajectory.steps.length === 0);
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const REDUCE: Readonly<Record<MetricRule, (values: readonly number[]) => number>> = {
  mean: (values) => sumOf(values) / values.length,
  sum: sumOf,
  min: (values) => values.reduce((least, value) => Math.min(least, value)),
  max: (values) => values.reduce((most, value) => Math.max(most, value)),
};
