import type { Metrics } from '../../types/index.js';
import type { RowBatch } from '../row-batch.js';
import { rowReturns } from '../trajectory-rows.js';

/**
 * `train/explained_variance`: 1 − Var(R − V)/Var(R) over every sampled token, V before the update. 1 is a critic that knows the returns, 0 one
 * that knows no more than their mean. Absent where all returns are equal.
 */
export function explainedVariance({ trajectories }: RowBatch): Metrics {
  const returns: number[] = [];
  const errors: number[] = [];
  for (const { rows, reward } of trajectories) {
    for (const row of rows) {
      const known = rowReturns(row, reward);
      if (known === undefined) continue;
      for (const [i, mask] of row.sampled.entries()) {
        if (mask === 0) continue;
        const target = known.targets[i] as number;
        returns.push(target);
        errors.push(target - (known.before[i] as number));
      }
    }
  }
  const variance = varianceOf(returns);
  return variance === 0 ? {} : { 'train/explained_variance': 1 - varianceOf(errors) / variance };
}

/** Population variance; exactly 0 where all values are equal. */
function varianceOf(values: readonly number[]): number {
  if (values.every((value) => value === values[0])) return 0;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}
