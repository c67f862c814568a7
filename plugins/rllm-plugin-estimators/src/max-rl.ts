import { AdvEstimator, calculateReinforceAdvantages, type EstimateFunction } from 'rllm-sdk';
import { isUniform, meanOf, NOISE } from './statistics.js';

/**
 * Maximum-likelihood RL: Aᵢ = (rᵢ − mean(r)) / mean(r) within the group; zeros where the mean is 0 or less, up to float noise:
 * 1e-12 of the largest |r|.
 *
 * A division by the pass rate gives rare successes the weight 1/p that they have in the gradient of log p. With rewards 0
 * and 1 the expected gradient is that of log p expanded to order G − 1: Σₖ (1 − p)ᵏ⁻¹ ∇p for k from 1 to G − 1.
 *
 * | | here | prime-rl | SkyRL |
 * | --- | --- | --- | --- |
 * | 1, 0, 0, 0 | 3, −1, −1, −1 | the same | 2.99999, −1 × 3: it divides by mean + 1e-6 |
 * | −1, 0, and every mean ≤ 0 | zeros | zeros | 1, −1: the worse one is rewarded |
 * | 0.1, 0.2, −0.3, whose sum is 3e-17 | zeros | 5e15 and more | – |
 * | lone trajectory | 0, as the formula says | 0 | its reward |
 * | all rewards equal | exactly 0 | 0 up to float noise | 0 up to float noise |
 *
 * It is meant for rewards of 0 and more: then −1 ≤ A ≤ G − 1. A negative reward in a group with a small positive mean gives
 * advantages without such a bound; `algorithm.rewardClip` or `algorithm.advantageClip` gives one.
 *
 * @param rewards  `rewards[g][i]`, finite; not modified.
 * @returns        fresh arrays of the same shape, without unit. They sum to 0 in every group.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see https://arxiv.org/abs/2602.02710
 */
export function calculateMaxRlAdvantages(rewards: readonly ArrayLike<number>[]): Float64Array[] {
  const { advantages } = calculateReinforceAdvantages(rewards);
  for (const group of advantages) relateToMean(group);
  return advantages;
}

function relateToMean(group: Float64Array): void {
  const mean = isUniform([group]) ? 0 : meanOf([group]);
  const largest = group.reduce((most, reward) => Math.max(most, Math.abs(reward)), 0);
  if (mean <= NOISE * largest) {
    group.fill(0);
    return;
  }
  for (let i = 0; i < group.length; i++) group[i] = ((group[i] ?? Number.NaN) - mean) / mean;
}

/** The estimator `maxrl`. */
export const maxRl: EstimateFunction = AdvEstimator('maxrl', {
  summary: '(r − mean) / mean within the group; 0 where the mean is 0 or less',
  paper: 'https://arxiv.org/abs/2602.02710',
  scope: 'group',
})(({ rewards }) => ({ advantages: calculateMaxRlAdvantages(rewards) }));
