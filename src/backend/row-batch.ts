import type { Metrics, TrajectoryGroup } from '../types/index.js';
import { type TokenLimits, type TrainingRow, trajectoryFault, trajectoryRows } from './trajectory-rows.js';

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

/** Rows of every trajectory of the groups that has no fault: `Backend.trajectoryFault` has the trainer leave the others out before. */
export function rowBatch(groups: readonly TrajectoryGroup[], limits: TokenLimits): RowBatch {
  const trajectories: TrajectoryRows[] = [];
  let steps = 0;
  for (const { role, trajectories: members } of groups) {
    for (const trajectory of members) {
      if (trajectoryFault(trajectory, limits) !== undefined) continue;
      const { reward } = trajectory;
      const rows = trajectoryRows(trajectory);
      trajectories.push({ role, rows, ...(reward === undefined ? {} : { reward }) });
      steps += trajectory.steps.length;
    }
  }
  return { trajectories, metrics: rowMetrics(trajectories, steps) };
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
