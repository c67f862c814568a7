import { type EstimatorPlan, klOf } from 'rllm-sdk';

/** How log-ratios d = log π − log π_ref of sampled tokens estimate the KL divergence. */
export type DivergenceEstimator = 'k1' | 'k2' | 'k3';

/**
 * Estimate of KL(π ‖ π_ref) from one token sampled by π, by the `klOf` of `algorithm.klInReward`: k1 = d, k2 = d²/2,
 * k3 = e⁻ᵈ − 1 + d, kept in [0, 10].
 *
 * | d = 0.5 | k1 | k2 | k3 |
 * | --- | --- | --- | --- |
 * | here, verl, OpenRLHF | 0.5 | 0.125 | 0.106531 |
 *
 * @param d  log π − log π_ref of the token.
 * @see Schulman 2020, http://joschu.net/blog/kl-approx.html
 */
export function divergence(d: number, estimator: DivergenceEstimator): number {
  return klOf(d, estimator);
}

/** Why a plan would count the KL twice; empty where it does not. */
export function refuseDoubleKl({ algorithm }: EstimatorPlan): readonly string[] {
  if (algorithm.klInReward.coefficient === 0) return [];
  return [
    'it charges each token for its KL from the reference, and algorithm.klInReward charges the reward for the same: set algorithm.klInReward.coefficient to 0.',
  ];
}
