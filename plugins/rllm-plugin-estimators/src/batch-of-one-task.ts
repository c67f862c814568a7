import type { EstimatorPlan } from 'rllm-sdk';

/** Why a statistic of the batch cannot be asked for; empty when the batch has more than one task. */
export function refuseBatchOfOneTask(setting: string, { tasksPerBatch }: EstimatorPlan): readonly string[] {
  if (tasksPerBatch > 1) return [];
  return [
    `${setting} takes a statistic of the batch, and a batch is one task, by data.trainBatchSize or since one group is compared, so it would be one of the group.`,
  ];
}
