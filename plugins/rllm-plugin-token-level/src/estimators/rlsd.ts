import { type AdvantageBatch, AdvEstimator, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { type BaseEstimator, baseAdvantages, baseOption } from '../tokens/base-advantages.js';
import { readTeacher, readTokens } from '../tokens/read-tokens.js';
import { checkGroups, checkShape, copyRows, type TokenRows } from '../tokens/token-table.js';

export interface RlsdParameters {
  /** λ in [0, 1]: how much of the advantage the teacher spreads; 0.5 by default. 0 gives the base alone. */
  readonly mix?: number;
  /** ε in [0, 1]: bound of a token's weight, 1 − ε to 1 + ε; 0.2 by default. */
  readonly clip?: number;
}

/**
 * Self-distillation that moves credit between tokens and never turns it around:
 * Aₜ = A · [(1 − λ) + λ · clip(exp(sign(A) · (log π_teacher − log π)ₜ), 1 − ε, 1 + ε)], with A the trajectory's scalar advantage.
 *
 * In a trajectory that was good, tokens that the teacher likes more than the policy does get more of the reward; in one that
 * was bad, they get less of the blame. With ε ≤ 1 no weight is negative, so every token keeps the sign of A.
 *
 * | student [−1, −1, −1], teacher [−0.9, 0, none], λ 0.5, ε 0.2 | Aₜ |
 * | --- | --- |
 * | A = 1 | [1.052585, 1.1, 1] |
 * | A = −1 | [−0.952419, −0.9, −1] |
 *
 * | | here | ms-swift |
 * | --- | --- | --- |
 * | formula | the same | the same |
 * | A | `grpo` (population std), `rloo` or `reinforce` of this SDK | its GRPO, std over n − 1 |
 * | token that the teacher has no log-prob for | weight 1: it keeps A | – |
 * | λ, ε | 0.5, 0.2: our choice | as configured |
 *
 * Edge cases: A = 0, and with it a uniform group, gives exactly 0. λ = 0, or a teacher that is the policy, gives the base.
 *
 * @param base             `[g][i]`, any scalar advantage; not modified.
 * @param logprobs         `[g][i][t]`, of the policy that sampled, finite; not modified.
 * @param teacherLogprobs  same shape; null where the teacher has none.
 * @returns                fresh rows of that shape.
 * @throws RllmError ESTIMATOR_INPUT when shapes differ, or a number is not finite.
 * @see ms-swift, GRPO with `rlsd`, https://github.com/modelscope/ms-swift
 */
export function calculateRlsdAdvantages(
  base: readonly ArrayLike<number>[],
  logprobs: TokenRows,
  teacherLogprobs: readonly (readonly ArrayLike<number | null>[])[],
  { mix = 0.5, clip = 0.2 }: RlsdParameters = {},
): readonly (readonly Float64Array[])[] {
  checkGroups(base, logprobs, 'base advantages');
  checkShape(teacherLogprobs, logprobs, 'teacher log-probs');
  const { rows } = copyRows(logprobs, 'log-probs');
  // An unmatched token is one where teacher and student agree.
  const teacher = copyRows(
    teacherLogprobs.map((group, g) =>
      group.map((row, i) => Array.from(row, (known, t) => known ?? (rows[g]?.[i]?.[t] as number))),
    ),
    'teacher log-probs',
  );
  rows.forEach((group, g) => {
    group.forEach((row, i) => {
      const own = base[g]?.[i] ?? Number.NaN;
      const wanted = teacher.rows[g]?.[i] as Float64Array;
      for (let t = 0; t < row.length; t++) {
        const ratio = Math.exp(Math.sign(own) * ((wanted[t] as number) - (row[t] as number)));
        const weight = Math.min(1 + clip, Math.max(1 - clip, ratio));
        row[t] = own * (1 + mix * (weight - 1)) + 0;
      }
    });
  });
  return rows;
}

/** Options of the estimator `rlsd`. */
export interface RlsdOptions {
  readonly base: BaseEstimator;
  readonly mix: number;
  readonly clip: number;
}

const options: z.ZodType<RlsdOptions> = z.strictObject({
  base: baseOption,
  mix: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('λ: how much of the advantage the teacher spreads over the tokens.'),
  clip: z.number().min(0).max(1).default(0.2).describe("ε: a token's weight is kept in 1 − ε to 1 + ε."),
});

/** The estimator `rlsd`. */
export const rlsd: EstimateFunction<RlsdOptions> = AdvEstimator('rlsd', {
  summary:
    'A · [(1 − λ) + λ · clip(exp(sign(A) · (log π_teacher − log π)), 1 ± ε)]; A is grpo, rloo or reinforce',
  paper: 'https://github.com/modelscope/ms-swift',
  scope: 'group',
  requires: ['lengths', 'logprobs', 'teacherLogprobs'],
  options,
  perToken: true,
})((batch: AdvantageBatch<RlsdOptions>) => {
  const { groups, options: chosen } = batch;
  return {
    advantages: calculateRlsdAdvantages(
      baseAdvantages(chosen.base, batch),
      readTokens(groups, 'logprobs', 'rlsd').rows,
      readTeacher(groups, 'rlsd'),
      chosen,
    ),
  };
});
