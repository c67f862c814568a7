import type { MetricRule } from './json.js';
import type { TerminationReason } from './termination.js';
import type { Trajectory } from './trajectory.js';

/**
 * The record of one rollout of a workflow on a task.
 *
 * Identity is `taskId` and `rolloutIndex`; `id` is for display and is never parsed.
 */
export interface Episode {
  readonly id: string;
  readonly taskId: string;
  /** 0-based among the rollouts of this task in this batch. */
  readonly rolloutIndex: number;
  task: unknown;
  terminationReason?: TerminationReason;
  isCorrect: boolean;
  trajectories: Trajectory[];
  metrics: Record<string, number>;
  /** How metrics are reduced over rollouts, by name; `mean` where a name is absent. */
  readonly metricRules?: Readonly<Record<string, MetricRule>>;
  info: Record<string, unknown>;
}
