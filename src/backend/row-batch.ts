import type { Metrics, TrajectoryGroup } from '../types/index.js';
import {
  type MalformedReason,
  type TokenLimits,
  type TrainingRow,
  trajectoryRows,
} from './trajectory-rows.js';

/** The rows of one trajectory. */
export interface TrajectoryRows {
  readonly role: string;
  /** Absent where nobody has set one. */
  readonly reward?: number;
  readonly rows: readonly TrainingRow[];
}

/** Stage 4's result: what can be trained on, and what was said about it. */
export interface RowBatch {
  readonly trajectories: readonly TrajectoryRows[];
  readonly metrics: Metrics;
}

/** Rows of every trajectory of the groups; a malformed one is left out and counted, by reason. */
export function rowBatch(groups: readonly TrajectoryGroup[], limits: TokenLimits): RowBatch {
  const trajectories: TrajectoryRows[] = [];
  const dropped = new Map<MalformedReason, number>();
  let steps = 0;
  for (const { role, trajectories: members } of groups) {
    for (const trajectory of members) {
      const result = trajectoryRows(trajectory, limits);
      if ('malformed' in result) {
        dropped.set(result.malformed, (dropped.get(result.malformed) ?? 0) + 1);
        continue;
      }
      const { reward } = trajectory;
      trajectories.push({ role, rows: result.rows, ...(reward === undefined ? {} : { reward }) });
      steps += trajectory.steps.length;
    }
  }
  return { trajectories, metrics: { ...rowMetrics(trajectories, steps), ...dropMetrics(dropped) } };
}

/** The metrics of rLLM's transform. Lengths count from a row's first sampled token. */
function rowMetrics(trajectories: readonly TrajectoryRows[], steps: number): Metrics {
  const rows = trajectories.flatMap((trajectory) => trajectory.rows);
  if (rows.length === 0) return {};
  const responses = rows.map(({ sampled }) => sampled.slice(sampled.indexOf(1)));
  const sampledShare = responses.map((masks) => masks.filter((mask) => mask === 1).length / masks.length);
  return {
    ...spread(
      'batch/steps_per_traj',
      trajectories.map((trajectory) => trajectory.rows.length),
    ),
    ...spread(
      'batch/step_response_length',
      responses.map((masks) => masks.length),
    ),
    ...spread('batch/action_token_ratio', sampledShare),
    'batch/merge_compression_ratio': steps / rows.length,
  };
}

function spread(name: string, values: readonly number[]): Metrics {
  return {
    [`${name}/mean`]: values.reduce((a, b) => a + b, 0) / values.length,
    [`${name}/min`]: values.reduce((a, b) => Math.min(a, b)),
    [`${name}/max`]: values.reduce((a, b) => Math.max(a, b)),
  };
}

function dropMetrics(dropped: ReadonlyMap<MalformedReason, number>): Metrics {
  const name = 'batch/dropped_malformed_sequences';
  const metrics: Metrics = { [name]: [...dropped.values()].reduce((a, b) => a + b, 0) };
  for (const [reason, count] of dropped) metrics[`${name}/${reason}`] = count;
  return metrics;
}
