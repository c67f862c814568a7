import type { RllmConfig } from '../config/types.js';
import type { EstimatorPlan } from './estimator.js';

/** How much an optimiser step is made of. */
export type StepSize = Pick<EstimatorPlan, 'rollouts' | 'tasksPerBatch'>;

/** What a config plans for each optimiser step; filters may leave less, and a task may give several groups. */
export function stepSizeOf({
  rollout,
  data,
  rejectionSample,
}: Pick<RllmConfig, 'rollout' | 'data' | 'rejectionSample'>): StepSize {
  const { mode, minPartialSolveTasks } = rejectionSample;
  // As many as rejection sampling gathers first, where it does.
  const tasksPerBatch =
    mode === 'episode' ? Math.max(data.trainBatchSize, minPartialSolveTasks) : data.trainBatchSize;
  return { rollouts: rollout.n, tasksPerBatch };
}
