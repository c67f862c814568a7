import { type AdvantageBatch, type AdvantageEstimates, AdvEstimator } from 'rllm-sdk';
import { z } from 'zod';
import { calculatePerStepAdvantages, loneStep, type PerStepOptions, valuesOf } from './per-step.js';
import { spreadOverTokens } from './spread-over-tokens.js';
import { discountedReturns } from './step-returns.js';
import { gamma } from './step-value.js';

/**
 * Discounting per step: A_{i,s} = G_{i,s} − mean_j G_{j,s} with G_{i,s} = r_{i,s} + γ·G_{i,s+1}, over the trajectories j of the
 * group that have a step s. Steps near the reward get more of it, and steps are compared with those at their own position.
 *
 * Row, γ = 0.5: rewards [0, 1], [0, 0], [1] have the returns [0.5, 1], [0, 0], [1] and give [0, 0.5], [−0.5, −0.5], [0.5].
 *
 * | | here | rLLM `broadcast` with `workflow.gamma` | verl REINFORCE++ |
 * | --- | --- | --- | --- |
 * | discount | per step, per model call | per step, but the advantage stays that of the trajectory | per trainable token |
 * | baseline | mean of the group at the position | mean of the group | mean of the batch |
 * | position that one trajectory reaches | the return itself, or 0 by `lone` | – | – |
 * | all returns of a position equal | exactly 0 | – | – |
 *
 * It is `calculatePerStepAdvantages` of these returns without std.
 *
 * @param rewards  `rewards[g][i][s]`, reward of each step, finite; not modified.
 * @param gamma    discount per step, in [0, 1].
 * @returns        fresh arrays of the same shape. They sum to 0 over each position that two or more trajectories reach.
 * @throws RllmError REWARD_NOT_FINITE.
 * @see Williams 1992, https://doi.org/10.1007/BF00992696: any baseline that does not depend on the action leaves the gradient unbiased
 */
export function calculatePerStepDiscountedAdvantages(
  rewards: readonly (readonly (readonly number[])[])[],
  gamma: number,
  { lone = 'value' }: Pick<PerStepOptions, 'lone'> = {},
): number[][][] {
  const returns = rewards.map((group) => group.map((own) => discountedReturns(own, gamma)));
  return calculatePerStepAdvantages(returns, { normByStd: false, lone });
}

/** The estimator `per_step_discounted`. */
@AdvEstimator('per_step_discounted', {
  summary: 'discounted return of the step − mean of the returns at its position in the group',
  paper: 'https://doi.org/10.1007/BF00992696',
  scope: 'group',
  options: z.strictObject({ gamma: gamma.default(0.95).describe('Discount per step.') }),
  perToken: true,
})
export class PerStepDiscounted {
  estimate(batch: AdvantageBatch<{ readonly gamma: number }>): AdvantageEstimates {
    const { groups, algorithm, options } = batch;
    const rewards = valuesOf(batch, { value: 'step', gamma: options.gamma });
    const lone = loneStep(algorithm);
    return spreadOverTokens(groups, calculatePerStepDiscountedAdvantages(rewards, options.gamma, { lone }));
  }
}
