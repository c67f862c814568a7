import type { EstimatorPlan } from '../estimator.js';

/** The `check` of estimators that take statistics over the batch: with one task they would be those of its group. */
export function needsSeveralTasks({
  tasksPerBatch,
}: Pick<EstimatorPlan, 'tasksPerBatch'>): readonly string[] {
  if (tasksPerBatch > 1) return [];
  return [
    'its statistics are over the tasks of a batch, and a batch is one task (data.trainBatchSize); take a group estimator such as grpo, or larger batches',
  ];
}
