import { type AdvantageBatch, AdvEstimator, type EstimateFunction, RllmError } from 'rllm-sdk';
import { z } from 'zod';
import { BASE_ESTIMATORS, type BaseEstimator, baseAdvantages } from '../tokens/base-advantages.js';
import { sumFuture } from '../tokens/discount.js';
import { readTeacher, readTokens } from '../tokens/read-tokens.js';
import { checkGroups, checkShape, copyRows, type TokenRows } from '../tokens/token-table.js';

export interface DistillationParameters {
  /** Weight of the log-ratio, in advantage units per nat; 1 by default. */
  readonly coefficient?: number;
  /** Discount of the sum of what is to come; 0 (default) takes each token's own log-ratio alone. */
  readonly discount?: number;
  /** Bounds of the teacher's term, after the sum; `null` for none. */
  readonly clip?: { readonly min: number | null; readonly max: number | null };
  /** A scalar advantage of each trajectory, `[g][i]`, that the teacher's term is added to; none by default. */
  readonly base?: readonly ArrayLike<number>[];
}

/**
 * On-policy distillation: Aₜ = c·(log π_teacher − log π_student) of the sampled token, the negative of the one-sample reverse KL;
 * with a discount γ > 0 the sum Σ γ^(j−t)·c·(…)ⱼ, j ≥ t. Then clipped to [min, max]. Rewards do not enter, but by a base: then
 * Aₜ is the trajectory's scalar advantage plus that term.
 *
 * A token that the teacher has no log-prob for is unmatched: its term is exactly 0, adds 0 to the sums of earlier tokens, and counts
 * in their distance. It is never rewarded for being unmatched, and a list of another length is an error.
 *
 * | student [−1, −2, −3], teacher [−0.5, −2.5, none] | A |
 * | --- | --- |
 * | here | [0.5, −0.5, 0] |
 * | here, γ 0.5 | [0.25, −0.5, 0] |
 * | here, slime, ms-swift, base 1 | [1.5, 0.5, 1]; theirs have no unmatched token |
 * | rLLM, which pads with 0 | [0.5, −0.5, 3] |
 *
 * | | here | rLLM | tinker-cookbook | slime, ms-swift |
 * | --- | --- | --- | --- | --- |
 * | sum of what is to come | over the trajectory | within the step | over the whole sequence, γ counts all tokens | none |
 * | clip | after the sum, off by default | after the sum | none | |
 * | on top of a reward's advantage | by `base` | no | rewards are 0 | yes |
 * | teacher of another length | error | cut to the shorter | error | |
 *
 * prime-rl has it as a loss of its own; verl, TRL, OpenRLHF, SkyRL, AReaL and ROLL have no estimator for it.
 *
 * @param logprobs         `[g][i][t]`, of the student that sampled, finite; not modified.
 * @param teacherLogprobs  same shape; null where the teacher has none.
 * @returns                fresh rows of the same shape.
 * @throws RllmError ESTIMATOR_INPUT when shapes differ, or a number is not finite.
 * @see Agarwal et al. 2023, https://arxiv.org/abs/2306.13649; Lu et al. 2025, https://thinkingmachines.ai/blog/on-policy-distillation
 */
export function calculateDistillationAdvantages(
  logprobs: TokenRows,
  teacherLogprobs: readonly (readonly ArrayLike<number | null>[])[],
  { coefficient = 1, discount = 0, clip, base }: DistillationParameters = {},
): readonly (readonly Float64Array[])[] {
  checkShape(teacherLogprobs, logprobs, 'teacher log-probs');
  if (base !== undefined) checkGroups(base, logprobs, 'base advantages');
  const min = clip?.min ?? Number.NEGATIVE_INFINITY;
  const max = clip?.max ?? Number.POSITIVE_INFINITY;
  const { rows } = copyRows(logprobs, 'log-probs');
  rows.forEach((group, g) => {
    group.forEach((row, i) => {
      const teacher = teacherLogprobs[g]?.[i] as ArrayLike<number | null>;
      for (let t = 0; t < row.length; t++) {
        const known = teacher[t] as number | null;
        row[t] = known === null ? 0 : coefficient * (known - (row[t] as number)) + 0;
        if (!Number.isFinite(row[t])) throw notFinite(g, i, t, known);
      }
      if (discount > 0) sumFuture(row, discount);
      const own = base?.[g]?.[i] ?? 0;
      for (let t = 0; t < row.length; t++) {
        row[t] = own + (teacher[t] === null ? 0 : Math.min(max, Math.max(min, row[t] as number))) + 0;
      }
    });
  });
  return rows;
}

function notFinite(g: number, i: number, t: number, teacher: unknown): RllmError {
  return new RllmError(
    'ESTIMATOR_INPUT',
    `Token ${t} of trajectory ${i} of group ${g} has the teacher log-prob ${String(teacher)}, not a finite number or null.`,
    { details: { group: g, trajectory: i, token: t } },
  );
}

/** Options of the estimator `distillation`. */
export interface DistillationOptions {
  readonly base: BaseEstimator | 'none';
  readonly coefficient: number;
  readonly discount: number;
  readonly clip: { readonly min: number | null; readonly max: number | null };
}

const options: z.ZodType<DistillationOptions> = z.strictObject({
  base: z
    .enum(['none', ...BASE_ESTIMATORS])
    .default('none')
    .describe(
      'Estimator whose advantages the term is added to; `none` leaves rewards out. grpo reads algorithm.normAdvByStdInGrpo.',
    ),
  coefficient: z.number().min(0).default(1).describe('Weight of the log-ratio, in advantage units per nat.'),
  discount: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe("Discount of a token's future log-ratios; 0 takes its own alone."),
  clip: z
    .strictObject({
      min: z.number().nullable().default(null).describe('Smallest term; `null` for no bound.'),
      max: z.number().nullable().default(null).describe('Largest term; `null` for no bound.'),
    })
    .refine(({ min, max }) => min === null || max === null || min <= max, {
      error: 'min must not be above max',
    })
    .prefault({})
    .describe('Bounds of the term, applied after the sum.'),
});

/** The estimator `distillation`. */
export const distillation: EstimateFunction<DistillationOptions> = AdvEstimator('distillation', {
  summary:
    '[base +] coefficient · (log π_teacher − log π) of each sampled token; no term where the teacher has none',
  paper: 'https://arxiv.org/abs/2306.13649',
  scope: 'group',
  requires: ['lengths', 'logprobs', 'teacherLogprobs'],
  options,
  perToken: true,
})((batch: AdvantageBatch<DistillationOptions>) => {
  const { groups, options: chosen } = batch;
  const { base, ...term } = chosen;
  return {
    advantages: calculateDistillationAdvantages(
      readTokens(groups, 'logprobs', 'distillation').rows,
      readTeacher(groups, 'distillation'),
      base === 'none' ? term : { ...term, base: baseAdvantages(base, batch) },
    ),
  };
});
