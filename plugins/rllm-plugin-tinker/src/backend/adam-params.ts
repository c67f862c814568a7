import { type AlgorithmConfig, learningRateAt } from 'rllm-sdk';
import type { AdamParams } from 'rllm-tinker-client';

/** Where a training stands in its plan. */
export interface PlanPosition {
  /** 1-based. */
  readonly globalStep: number;
  readonly totalSteps: number;
}

/**
 * Adam's settings of a training step: every optimiser step of it has the same, the learning rate is that of `learningRateAt`.
 *
 * @param peak  learning rate where the algorithm names none.
 */
export function adamParams(
  { learningRate, lrSchedule, warmupStepsRatio, adam, maxGradNorm }: AlgorithmConfig,
  { globalStep, totalSteps }: PlanPosition,
  peak: number,
): AdamParams {
  return {
    learningRate: learningRateAt(globalStep, {
      peak: learningRate ?? peak,
      schedule: lrSchedule,
      warmupStepsRatio,
      totalSteps,
    }),
    ...adam,
    ...(maxGradNorm === null ? {} : { gradClipNorm: maxGradNorm }),
  };
}
