import { type AdvantageBatch, AdvEstimator, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { refuseDoubleKl } from '../tokens/divergence.js';
import { readTokens } from '../tokens/read-tokens.js';
import { checkGroups } from '../tokens/token-table.js';

export interface AStarPoParameters {
  /** β₁ > 0, temperature of the optimal value, in reward units; 0.5 by default. */
  readonly valueTemperature?: number;
  /** β₂ ≥ 0, weight of the log-ratio, in reward units per nat; 0.001 by default. */
  readonly coefficient?: number;
  /** `[g]`: V* where it is known, from samples of the reference policy; undefined takes the group's own rewards. */
  readonly optimalValues?: readonly (number | undefined)[];
}

/**
 * A*-PO: Aᵢ = rᵢ − V* − β₂·dᵢ with dᵢ = Σₜ (log π − log π_ref) over the sampled tokens of trajectory i, and
 * V* = β₁·log mean_j exp(r_j / β₁), the optimal value of the KL-regularised task.
 *
 * The paper regresses β₂·log(π / π_ref) on r − V*. Half the gradient of that square is −β₂·(r − V* − β₂·d)·∇log π: so the policy gradient
 * of this advantage is that of the regression, up to the factor β₂, which the learning rate has.
 *
 * | r [1, 0], d [0, 0], β₁ 1 | V* | A |
 * | --- | --- | --- |
 * | here | ln((e + 1) / 2) = 0.620115 | [0.379885, −0.620115] |
 * | the same, β₂ 0.5 and d [0.2, −0.4] | 0.620115 | [0.279885, −0.420115] |
 *
 * | | here | TRL (A2PO), the authors |
 * | --- | --- | --- |
 * | V* | `optimalValues` by task where given, else of the group's own rewards | from samples of π_ref, drawn before the run |
 * | V* of own rewards | right while π is near π_ref; above it later, as π has learnt, so that advantages shrink | – |
 * | lone trajectory without V* | its V* is its reward: A = −β₂·d | needs one rollout only |
 * | β₁, β₂ | 0.5, 0.001 | as configured |
 *
 * Edge cases: equal rewards give V* = r exactly, so that A is −β₂·d, exactly 0 for β₂ = 0 or where π is π_ref. The mean of exponentials is taken about
 * the largest reward: it does not overflow.
 *
 * @param rewards    `rewards[g][i]`, finite; not modified.
 * @param logRatios  `logRatios[g][i]`, d of each trajectory; same shape.
 * @returns          fresh arrays of the same shape, in reward units. They do not sum to 0: V* is no mean.
 * @throws RllmError ESTIMATOR_INPUT when shapes differ; RangeError for β₁ ≤ 0.
 * @see Brantley et al. 2025, Accelerating RL for LLM Reasoning with Optimal Advantage Regression, https://arxiv.org/abs/2505.20686
 */
export function calculateAStarPoAdvantages(
  rewards: readonly ArrayLike<number>[],
  logRatios: readonly ArrayLike<number>[],
  { valueTemperature = 0.5, coefficient = 0.001, optimalValues = [] }: AStarPoParameters = {},
): Float64Array[] {
  if (!(valueTemperature > 0)) throw new RangeError(`β₁ is ${valueTemperature}, and must be above 0`);
  checkGroups(logRatios, rewards, 'log-ratios');
  return rewards.map((group, g) => {
    const value = optimalValues[g] ?? optimalValue(group, valueTemperature);
    return Float64Array.from(
      group,
      // `+ 0` turns −0 into 0.
      (reward, i) => reward - value - coefficient * (logRatios[g]?.[i] as number) + 0,
    );
  });
}

function optimalValue(rewards: ArrayLike<number>, temperature: number): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < rewards.length; i++) largest = Math.max(largest, rewards[i] as number);
  let sum = 0;
  for (let i = 0; i < rewards.length; i++) sum += Math.exp(((rewards[i] as number) - largest) / temperature);
  return largest + temperature * Math.log(sum / rewards.length);
}

/** Options of the estimator `a_star_po`. */
export interface AStarPoOptions {
  readonly valueTemperature: number;
  readonly coefficient: number;
  readonly optimalValues: Readonly<Record<string, number>>;
}

const options: z.ZodType<AStarPoOptions> = z.strictObject({
  valueTemperature: z
    .number()
    .positive()
    .default(0.5)
    .describe('β₁: temperature of the optimal value V*, in reward units.'),
  coefficient: z
    .number()
    .min(0)
    .default(0.001)
    .describe('β₂: weight of the log-ratio, in reward units per nat.'),
  optimalValues: z
    .record(z.string(), z.number())
    .default({})
    .describe("V* by task id, from samples of the reference policy; other tasks take their group's rewards."),
});

/** The estimator `a_star_po`. */
export const aStarPo: EstimateFunction<AStarPoOptions> = AdvEstimator('a_star_po', {
  summary: 'r − V* − β₂ · Σ (log π − log π_ref), V* = β₁ · log mean exp(r / β₁) of the task',
  paper: 'https://arxiv.org/abs/2505.20686',
  scope: 'group',
  requires: ['lengths', 'logprobs', 'referenceLogprobs'],
  options,
  check: refuseDoubleKl,
})(({ rewards, groups, options: chosen }: AdvantageBatch<AStarPoOptions>) => {
  const { optimalValues, ...parameters } = chosen;
  const logprobs = readTokens(groups, 'logprobs', 'a_star_po').rows.map((group) => group.map(sumOf));
  const reference = readTokens(groups, 'referenceLogprobs', 'a_star_po').rows.map((group) =>
    group.map(sumOf),
  );
  return {
    advantages: calculateAStarPoAdvantages(
      rewards,
      logprobs.map((group, g) => group.map((own, i) => own - (reference[g]?.[i] as number))),
      {
        ...parameters,
        optimalValues: groups.map(({ taskId }) =>
          Object.hasOwn(optimalValues, taskId) ? optimalValues[taskId] : undefined,
        ),
      },
    ),
  };
});

function sumOf(row: Float64Array): number {
  return row.reduce((sum, value) => sum + value, 0);
}
