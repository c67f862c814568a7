import { type EstimatorPlan, klOf } from 'rllm-sdk';
import { z } from 'zod';
import { checkShape, copyRows, type TokenRows } from './token-table.js';

/** How log-ratios d = log π − log π_ref of sampled tokens estimate the KL divergence. */
export type DivergenceEstimator = 'k1' | 'k2' | 'k3' | 'abs';

/**
 * Estimate of KL(π ‖ π_ref) from one token sampled by π, by the `klOf` of `algorithm.klInReward`: k1 = d, k2 = d²/2,
 * k3 = e⁻ᵈ − 1 + d, kept in [0, 10], and abs = |d|.
 *
 * | d = 0.5 | k1 | k2 | k3 | abs |
 * | --- | --- | --- | --- | --- |
 * | here, verl | 0.5 | 0.125 | 0.106531 | 0.5 |
 * | OpenRLHF | 0.5 | 0.125 | 0.106531 | – |
 *
 * @param d  log π − log π_ref of the token.
 * @see Schulman 2020, http://joschu.net/blog/kl-approx.html
 */
export function divergence(d: number, estimator: DivergenceEstimator): number {
  return klOf(d, estimator);
}

export interface DivergenceParameters {
  /** Weight of the KL, in reward units per nat. */
  readonly coefficient: number;
  /** k1 by default. */
  readonly klEstimator?: DivergenceEstimator;
}

/** Fields of the options of estimators that have the KL in the reward of each token. */
export const divergenceFields: Readonly<{
  coefficient: z.ZodType<number>;
  klEstimator: z.ZodType<DivergenceEstimator>;
}> = {
  coefficient: z
    .number()
    .min(0)
    .default(0.001)
    .describe("Weight of the KL that is taken off each token's reward, in reward units per nat."),
  klEstimator: z
    .enum(['k1', 'k2', 'k3', 'abs'])
    .default('k1')
    .describe('What a token counts, with d = logπ − logπ_ref: d, d²/2, exp(−d) − 1 + d or |d|.'),
};

/**
 * Takes coefficient · k(log π − log π_ref) off the reward of each token.
 *
 * With mask [1, 0, 0, 1], k = 1 everywhere, coefficient 1, γ 0.9 and no other reward, G of the first token is −(1 + 0.9³) =
 * −1.729 where γ counts all tokens, and −1.9 where it counts sampled ones. What was read has no KL here; systems that forget to
 * mask it get −3.439.
 *
 * @param tokenRewards  `[g][i][t]`; not modified.
 * @returns             fresh rows.
 * @throws RllmError ESTIMATOR_INPUT when a row has another length than the rewards.
 */
export function subtractDivergence(
  tokenRewards: TokenRows,
  logprobs: TokenRows,
  referenceLogprobs: TokenRows,
  { coefficient, klEstimator = 'k1' }: DivergenceParameters,
): readonly (readonly Float64Array[])[] {
  checkShape(logprobs, tokenRewards, 'log-probs');
  checkShape(referenceLogprobs, tokenRewards, 'reference log-probs');
  const { rows } = copyRows(tokenRewards, 'token rewards');
  rows.forEach((group, g) => {
    group.forEach((row, i) => {
      for (let t = 0; t < row.length; t++) {
        const d = (logprobs[g]?.[i]?.[t] ?? Number.NaN) - (referenceLogprobs[g]?.[i]?.[t] ?? Number.NaN);
        row[t] = (row[t] as number) - coefficient * divergence(d, klEstimator);
      }
    });
  });
  return rows;
}

/** Why a plan would count the KL twice; empty where it does not. */
export function refuseDoubleKl({ algorithm }: EstimatorPlan): readonly string[] {
  if (algorithm.klInReward.coefficient === 0) return [];
  return [
    'it charges each token for its KL from the reference, and algorithm.klInReward charges the reward for the same: set algorithm.klInReward.coefficient to 0.',
  ];
}
