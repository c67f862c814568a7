import type { AlgorithmConfig } from '../config/types.js';

export interface LearningRateSchedule {
  readonly peak: number;
  readonly schedule: AlgorithmConfig['lrSchedule'];
  readonly warmupStepsRatio: number;
  /** Planned steps. */
  readonly totalSteps: number;
}

/**
 * Learning rate of a 1-based training step. With w = ⌊total·ratio⌋ warm-up steps, step < w gives peak·step/w; after them, with
 * s = step − w and T = max(total − w, 1): constant peak, linear peak·(1 − s/T), cosine peak·(1 + cos πs/T)/2. Steps past the plan keep the last value.
 *
 * As in rLLM's Tinker backend: a linear or cosine schedule ends at 0 in the very last step.
 */
export function learningRateAt(step: number, schedule: LearningRateSchedule): number {
  const { peak, totalSteps } = schedule;
  const warmup = Math.floor(totalSteps * schedule.warmupStepsRatio);
  if (step < warmup) return (peak * step) / warmup;
  const share = Math.min((step - warmup) / Math.max(totalSteps - warmup, 1), 1);
  switch (schedule.schedule) {
    case 'constant':
      return peak;
    case 'linear':
      return peak * (1 - share);
    case 'cosine':
      return (peak * (1 + Math.cos(Math.PI * share))) / 2;
  }
}
