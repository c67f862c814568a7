import { type AdvantageBatch, AdvEstimator, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { sumFuture } from '../tokens/discount.js';
import { placeRewards, type RewardPlacement, rewardsOption } from '../tokens/place-rewards.js';
import { readTokens } from '../tokens/read-tokens.js';
import {
  checkShape,
  copyRows,
  copyTable,
  type TokenAdvantages,
  type TokenRows,
} from '../tokens/token-table.js';

export interface TokenBaselineParameters {
  /** No baseline on the tail that only the longest trajectory of the group reaches, as in verl; true by default. */
  readonly zeroTail?: boolean;
}

/**
 * Optimal token baseline from sampled log-probs: Aₜ = Gₜ − Bₜ with Bₜ = Σᵢ Gᵢₜ·Wᵢₜ / Σᵢ Wᵢₜ over the trajectories of the group
 * that have a token t, and Wₜ = Σ (1 − πⱼ)², j ≤ t. Tokens are aligned by their number among the sampled ones (verl's TIR
 * version, `tir_optimal_token_baseline`): what was read in between shifts nothing.
 *
 * **What is approximated.** The optimal weight of a token is the squared norm of its score with respect to the logits,
 * w = 1 − 2π + Σᵥ πᵥ², the sum over the vocabulary. Sampled log-probs give π alone, so Σᵥ πᵥ² is taken at the least that it
 * must be, π². With V words, (1 − π)²·V/(V − 1) ≤ w ≤ 2·(1 − π)²: the weight used is right to a factor of 2, and as a common
 * factor cancels in B, B is exact where that factor is the same for all tokens, for two words (factor 2) or where what is left
 * of the probability is spread over many (factor 1). Whatever the weights, B is an average of what the others and the
 * trajectory itself got: an approximation costs variance, and no more bias than the exact weights have by including the own G.
 *
 * | two trajectories of one token, r 1 and 0, π 0.5 and 0.9 | A |
 * | --- | --- |
 * | here | 0.038462, −0.961538 |
 * | verl, Σπ² 0.5 and 0.82 (two words) | the same to 1e-8 |
 * | verl, Σπ² 0.5 and 0.81 (what is left of the second spread thin) | 0.019608, −0.980392 |
 *
 * | | here | verl |
 * | --- | --- | --- |
 * | lone trajectory | B = 0 | the same; one without tokens does not count there and here |
 * | tail of the longest alone | B = 0, by option B = G | the same; the default was B = G until 2026 |
 * | every π so far 1 | plain mean | 0 |
 * | 1e-8 in the denominator | no | yes |
 * | every G of the group equal | exactly 0, tail included | float noise; G on the tail |
 * | importance weights ρ² in W | no | with rollout correction |
 *
 * OpenRLHF, TRL, slime, SkyRL, AReaL, ROLL and rLLM do not have it.
 *
 * @param tokenRewards  `[g][i][t]`, finite; not modified.
 * @param logprobs      same shape, of the policy that sampled.
 * @returns             fresh rows of the same shape; `returns` are G.
 * @throws RllmError ESTIMATOR_INPUT when shapes differ, or a number is not finite.
 * @see verl, core_algos.py, `compute_multi_turn_optimal_token_baseline_advantage`; the optimal baseline: Greensmith et al. 2004,
 *   https://jmlr.org/papers/v5/greensmith04a.html
 */
export function calculateOptimalTokenBaselineAdvantages(
  tokenRewards: TokenRows,
  logprobs: TokenRows,
  { zeroTail = true }: TokenBaselineParameters = {},
): TokenAdvantages {
  checkShape(logprobs, tokenRewards, 'log-probs');
  const returns = copyRows(tokenRewards, 'token rewards');
  for (const group of returns.rows) for (const row of group) sumFuture(row, 1);
  const advantages = copyTable(returns);
  const policy = copyRows(logprobs, 'log-probs');
  advantages.rows.forEach((group, g) => {
    subtractBaselines(group, policy.rows[g] ?? [], zeroTail);
  });
  return { advantages: advantages.rows, returns: returns.rows };
}

/** @param group  returns of one group, turned into advantages in place. */
function subtractBaselines(
  group: readonly Float64Array[],
  logprobs: readonly Float64Array[],
  zeroTail: boolean,
): void {
  const [longest = 0, second = 0] = group.map(({ length }) => length).sort((a, b) => b - a);
  if (second === 0) return;
  if (isUniform(group)) {
    for (const row of group) row.fill(0);
    return;
  }
  const least = new Float64Array(longest).fill(Number.POSITIVE_INFINITY);
  for (const row of group) {
    for (let t = 0; t < row.length; t++) {
      if ((row[t] as number) < (least[t] as number)) least[t] = row[t] as number;
    }
  }
  const baselines = baselinesOf(group, logprobs, least);
  if (zeroTail) baselines.fill(0, second);
  for (const row of group) {
    for (let t = 0; t < row.length; t++) row[t] = (row[t] as number) - (baselines[t] as number) + 0;
  }
}

/** Bₜ, measured from the least return at t: so returns that are equal give themselves, and large ones keep their digits. */
function baselinesOf(
  group: readonly Float64Array[],
  logprobs: readonly Float64Array[],
  least: Float64Array,
): Float64Array {
  const count = new Float64Array(least.length);
  const total = new Float64Array(least.length);
  const weights = new Float64Array(least.length);
  const weighted = new Float64Array(least.length);
  group.forEach((row, i) => {
    const own = logprobs[i] as Float64Array;
    let weight = 0;
    for (let t = 0; t < row.length; t++) {
      const excess = (row[t] as number) - (least[t] as number);
      const left = Math.expm1(own[t] as number);
      weight += left * left;
      count[t] = (count[t] as number) + 1;
      total[t] = (total[t] as number) + excess;
      weights[t] = (weights[t] as number) + weight;
      weighted[t] = (weighted[t] as number) + weight * excess;
    }
  });
  return least.map((floor, t) => {
    const sum = weights[t] as number;
    return floor + (sum > 0 ? (weighted[t] as number) / sum : (total[t] as number) / (count[t] as number));
  });
}

function isUniform(group: readonly Float64Array[]): boolean {
  const first = group.find(({ length }) => length > 0)?.[0];
  return group.every((row) => row.every((value) => value === first));
}

/** Options of the estimator `optimal_token_baseline`. */
export interface OptimalTokenBaselineOptions {
  readonly rewards: RewardPlacement;
  readonly zeroTail: boolean;
}

const options: z.ZodType<OptimalTokenBaselineOptions> = z.strictObject({
  rewards: rewardsOption,
  zeroTail: z
    .boolean()
    .default(true)
    .describe('No baseline on the tail that only the longest trajectory of a group reaches.'),
});

/** The estimator `optimal_token_baseline`. */
export const optimalTokenBaseline: EstimateFunction<OptimalTokenBaselineOptions> = AdvEstimator(
  'optimal_token_baseline',
  {
    summary:
      'G_t − ΣG_t·W_t / ΣW_t within the group at each token, W_t = Σ(1 − π)² up to t, from sampled log-probs',
    paper: 'https://jmlr.org/papers/v5/greensmith04a.html',
    scope: 'group',
    requires: ['lengths', 'logprobs'],
    options,
    perToken: true,
  },
)((batch: AdvantageBatch<OptimalTokenBaselineOptions>) =>
  calculateOptimalTokenBaselineAdvantages(
    placeRewards(batch, batch.options.rewards).rows,
    readTokens(batch.groups, 'logprobs', 'optimal_token_baseline').rows,
    batch.options,
  ),
);
