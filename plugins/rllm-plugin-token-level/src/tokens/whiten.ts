import type { EstimatorPlan } from 'rllm-sdk';

/** Added to the variance, as verl does: rsqrt(var + 1e-8). */
const EPSILON = 1e-8;

/**
 * Brings values to mean 0 and variance 1, in place: (x − mean) / √(var + 1e-8), variance over n − 1, in two passes.
 *
 * Values that are all equal, a single one included, become exactly 0.
 *
 * | n = 1 | here and OpenRLHF | verl, SkyRL | ROLL |
 * | --- | --- | --- | --- |
 * | | 0 | ValueError | not whitened |
 */
export function whiten(values: Float64Array): void {
  const n = values.length;
  if (values.every((value) => value === values[0])) {
    values.fill(0);
    return;
  }
  const mean = meanOf(values);
  let squares = 0;
  for (let t = 0; t < n; t++) {
    const d = (values[t] as number) - mean;
    squares += d * d;
  }
  const scale = 1 / Math.sqrt(squares / (n - 1) + EPSILON);
  for (let t = 0; t < n; t++) values[t] = ((values[t] as number) - mean) * scale;
}

/** Mean of n ≥ 1 values; a second pass adds the mean of what rounding left over. */
export function meanOf(values: Float64Array): number {
  const n = values.length;
  let sum = 0;
  for (let t = 0; t < n; t++) sum += values[t] as number;
  const mean = sum / n;
  let rest = 0;
  for (let t = 0; t < n; t++) rest += (values[t] as number) - mean;
  return mean + rest / n;
}

/** Why a plan cannot be whitened over its batch; empty when the batch has more than one task. */
export function refuseOneTask({ tasksPerBatch }: EstimatorPlan): readonly string[] {
  if (tasksPerBatch > 1) return [];
  return [
    `whitening takes mean and variance of the batch, and a batch is one task, by data.trainBatchSize or since one group is compared, so they would be that task's own.`,
  ];
}
