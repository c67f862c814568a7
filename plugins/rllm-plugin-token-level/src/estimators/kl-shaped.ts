import { type AdvantageBatch, AdvEstimator, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { type BaseEstimator, baseAdvantages, baseOption } from '../tokens/base-advantages.js';
import { sumFuture } from '../tokens/discount.js';
import { refuseDoubleKl } from '../tokens/divergence.js';
import { readTokens } from '../tokens/read-tokens.js';
import { checkGroups, checkShape, copyRows, type TokenRows, tableLike } from '../tokens/token-table.js';
import { meanOf, refuseOneTask, whiten } from '../tokens/whiten.js';

export interface KlShapingParameters {
  /** Weight of the KL, in advantage units per nat. */
  readonly coefficient: number;
  /** Discount of the sum of what is to come; 0 (default) takes each token's own KL alone. */
  readonly discount?: number;
  /** Take the mean of the batch off each token's KL; true by default. `false` only subtracts the KL. */
  readonly center?: boolean;
  /** Bring the sum of both to mean 0 and variance 1 over all sampled tokens of the batch; false by default. */
  readonly whiten?: boolean;
  /** Groups, `[g]`, that take no part: they get their base alone, and do not count in the mean of the KL. */
  readonly masked?: readonly boolean[];
}

/**
 * KL shaping of any scalar advantage: Aₜ = base + c·(mean_B(d) − dₜ) with dₜ = log π − log π_ref of the sampled token, and
 * mean_B over all sampled tokens of the batch. So KL pressure moves credit between tokens, and sums to 0 over the batch. With a
 * discount γ > 0 each token gets Σ γ^(j−t)·c·(mean_B(d) − dⱼ), j ≥ t, which sums to 0 no more. Not centred, mean_B(d) is 0: the KL
 * is subtracted after the baseline, which does not see it.
 *
 * | base 1, d [0.2, 0.4] and base −1, d [0, 0.6], c 0.5 | |
 * | --- | --- |
 * | here, tinker-cookbook | [1.05, 0.95], [−0.85, −1.15] |
 * | here, tinker-cookbook, γ 0.5 | [1.025, 0.95], [−0.925, −1.15] |
 * | here, not centred, γ 1; OpenRLHF's `rloo` | [0.7, 0.8], [−1.3, −1.3] |
 * | the same, whitened | [0.8233, 0.9077], [−0.8655, −0.8655] |
 * | OpenRLHF's `reinforce_baseline`, its variance over n | [0.9507, 1.0482], [−0.9994, −0.9994] |
 *
 * | | here | tinker-cookbook | slime, OpenRLHF | verl, SkyRL, ROLL, TRL |
 * | --- | --- | --- | --- | --- |
 * | centred over the batch | by default | yes | no: −c·dₜ | no, in the reward: it moves the baseline too |
 * | what γ counts | sampled tokens, over all steps | all tokens | | |
 * | whitened over the batch | by option | no | slime by option, OpenRLHF all but `rloo` | no |
 * | uniform group | its KL, by option exactly 0 | its KL | its KL | its KL |
 *
 * AReaL takes the KL off token rewards. rLLM has KL in the loss only.
 *
 * Edge cases: equal d everywhere give the base exactly. A batch without tokens gives empty rows.
 *
 * @param base               `[g][i]`, any scalar advantage; not modified.
 * @param logprobs           `[g][i][t]`, of the policy that sampled.
 * @param referenceLogprobs  same shape.
 * @returns                  fresh rows of that shape.
 * @throws RllmError ESTIMATOR_INPUT when shapes differ, or a number is not finite.
 * @see tinker-cookbook, rl/metrics.py, `incorporate_kl_penalty`
 */
export function calculateKlShapedAdvantages(
  base: readonly ArrayLike<number>[],
  logprobs: TokenRows,
  referenceLogprobs: TokenRows,
  { coefficient, discount = 0, center = true, whiten: whitened = false, masked }: KlShapingParameters,
): readonly (readonly Float64Array[])[] {
  checkGroups(base, logprobs, 'base advantages');
  checkShape(referenceLogprobs, logprobs, 'reference log-probs');
  const ratios = copyRows(logprobs, 'log-probs');
  const reference = copyRows(referenceLogprobs, 'reference log-probs');
  for (let t = 0; t < ratios.flat.length; t++) {
    ratios.flat[t] = (ratios.flat[t] as number) - (reference.flat[t] as number);
  }
  const counted = masked?.includes(true)
    ? copyRows(
        ratios.rows.filter((_, g) => masked[g] !== true),
        'log-ratios',
      ).flat
    : ratios.flat;
  const mean = center ? meanLogRatio(counted) : 0;
  const { flat, rows } = tableLike(logprobs);
  rows.forEach((group, g) => {
    group.forEach((row, i) => {
      const own = base[g]?.[i] ?? Number.NaN;
      if (masked?.[g] === true) {
        row.fill(own);
        return;
      }
      const ratio = ratios.rows[g]?.[i] as Float64Array;
      for (let t = 0; t < row.length; t++) row[t] = coefficient * (mean - (ratio[t] as number));
      if (discount > 0) sumFuture(row, discount);
      for (let t = 0; t < row.length; t++) row[t] = own + (row[t] as number) + 0;
    });
  });
  if (whitened) {
    whiten(flat);
    rows.forEach((group, g) => {
      if (masked?.[g] === true) for (const [i, row] of group.entries()) row.fill(base[g]?.[i] ?? Number.NaN);
    });
  }
  return rows;
}

/** Mean, 0 of none; exactly their value where all are equal. */
function meanLogRatio(ratios: Float64Array): number {
  const [first = 0] = ratios;
  return ratios.every((ratio) => ratio === first) ? first : meanOf(ratios);
}

/** Options of the estimator `kl_shaped`. */
export interface KlShapedOptions {
  readonly base: BaseEstimator;
  readonly coefficient: number;
  readonly discount: number;
  readonly center: boolean;
  readonly whiten: boolean;
  readonly maskUniform: boolean;
}

const options: z.ZodType<KlShapedOptions> = z.strictObject({
  base: baseOption,
  coefficient: z.number().min(0).default(0.01).describe('Weight of the KL, in advantage units per nat.'),
  discount: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe("Discount of a token's future KL; 0 takes its own KL alone."),
  center: z
    .boolean()
    .default(true)
    .describe('Take the mean of the batch off the KL, so that it sums to 0; `false` only subtracts it.'),
  whiten: z
    .boolean()
    .default(false)
    .describe('Bring the sum of both to mean 0 and variance 1 over all sampled tokens of the batch.'),
  maskUniform: z
    .boolean()
    .default(false)
    .describe('A group with equal rewards gets exactly 0 and does not count in the mean of the KL.'),
});

/** The estimator `kl_shaped`. */
export const klShaped: EstimateFunction<KlShapedOptions> = AdvEstimator('kl_shaped', {
  summary:
    'base + coefficient · ([mean of d over the batch] − d_t), d = logπ − logπ_ref; base is grpo, rloo or reinforce',
  scope: 'batch',
  requires: ['lengths', 'logprobs', 'referenceLogprobs'],
  options,
  perToken: true,
  check: (plan) => [
    ...(options.parse(plan.options).whiten ? refuseOneTask(plan) : []),
    ...refuseDoubleKl(plan),
  ],
})(({ rewards, groups, algorithm, options: chosen }: AdvantageBatch<KlShapedOptions>) => {
  const { maskUniform } = chosen;
  const masked = rewards.map((group) => maskUniform && group.length > 1 && isUniform(group));
  const base = baseAdvantages(chosen.base, { rewards, algorithm });
  base.forEach((group, g) => {
    if (masked[g] === true) group.fill(0);
  });
  return {
    advantages: calculateKlShapedAdvantages(
      base,
      readTokens(groups, 'logprobs', 'kl_shaped').rows,
      readTokens(groups, 'referenceLogprobs', 'kl_shaped').rows,
      { ...chosen, masked },
    ),
  };
});

function isUniform(rewards: Float64Array): boolean {
  return rewards.every((reward) => reward === rewards[0]);
}
