import {
  type AdvantageBatch,
  calculateGrpoAdvantages,
  calculateReinforceAdvantages,
  calculateRlooAdvantages,
} from 'rllm-sdk';
import { z } from 'zod';

export const BASE_ESTIMATORS = ['grpo', 'rloo', 'reinforce'] as const;

/** Estimator of the SDK that gives the scalar advantage of each trajectory, on which an estimator of tokens builds. */
export type BaseEstimator = (typeof BASE_ESTIMATORS)[number];

/** Option of estimators that build on a scalar advantage. */
export const baseOption: z.ZodType<BaseEstimator> = z
  .enum(BASE_ESTIMATORS)
  .default('grpo')
  .describe('Estimator whose advantages are shaped; grpo reads algorithm.normAdvByStdInGrpo.');

/** Scalar advantages of a batch, `[g][i]`, fresh arrays. */
export function baseAdvantages(
  base: BaseEstimator,
  { rewards, algorithm }: Pick<AdvantageBatch, 'rewards' | 'algorithm'>,
): Float64Array[] {
  if (base === 'rloo') return calculateRlooAdvantages(rewards).advantages;
  if (base === 'reinforce') return calculateReinforceAdvantages(rewards).advantages;
  return calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: algorithm.normAdvByStdInGrpo }).advantages;
}
