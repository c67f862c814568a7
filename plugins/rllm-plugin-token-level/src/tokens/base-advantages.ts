import {
  type AdvantageBatch,
  calculateGrpoAdvantages,
  calculateReinforceAdvantages,
  calculateRlooAdvantages,
} from 'rllm-sdk';
import { z } from 'zod';

/** Estimator of the SDK that gives the scalar advantage of each trajectory, on which an estimator of tokens builds. */
export type BaseEstimator = 'grpo' | 'rloo' | 'reinforce';

/** Option of estimators that build on a scalar advantage. */
export const baseOption: z.ZodType<BaseEstimator> = z
  .enum(['grpo', 'rloo', 'reinforce'])
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
