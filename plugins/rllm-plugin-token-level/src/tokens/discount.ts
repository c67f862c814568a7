import { RllmError, type Trajectory } from 'rllm-sdk';
import { z } from 'zod';

/**
 * What γ counts between one sampled token and the next: 1 (`tokens`), 1 and the tokens read between them (`all_tokens`), or the
 * steps between them (`steps`, so that all tokens of a step are discounted alike).
 */
export type DiscountUnit = 'tokens' | 'all_tokens' | 'steps';

/** One step of a trajectory, as time sees it. */
export interface StepSpan {
  /** Tokens sampled. */
  readonly tokens: number;
  /** Tokens read since the step before: tool output, a user's turn. */
  readonly observed: number;
}

/**
 * Steps of a trajectory. What was read before a step is what its prompt has beyond the step before it; a prompt that is
 * shorter than that, because the workflow cut the conversation, counts as nothing read.
 */
export function spansOf({ steps }: Trajectory): StepSpan[] {
  let seen = Number.POSITIVE_INFINITY;
  return steps.map(({ promptIds, responseIds }) => {
    const observed = Math.max(0, promptIds.length - seen);
    seen = promptIds.length + responseIds.length;
    return { tokens: responseIds.length, observed };
  });
}

/**
 * Discounted sums of what is to come, in place: Gₜ = xₜ + γ^d · Gₜ₊₁, with d the distance to the next sampled token in `unit`s.
 *
 * | γ = 0.5, x = [0 · 0 1] with one token read at the dot | here | verl since 2026-08 | OpenRLHF, slime, ROLL | SkyRL |
 * | --- | --- | --- | --- | --- |
 * | `tokens` | [0.25, 0.5, 1] | the same | | |
 * | `all_tokens` | [0.125, 0.5, 1] | | the same | |
 * | `steps` | [0.5, 1, 1] | | | |
 * | the sum ends at what was read | | until then | | [0, 0.5, 1] |
 *
 * @param row    the trajectory's tokens.
 * @param spans  its steps; by default one step of all tokens.
 * @throws RllmError ESTIMATOR_INPUT when the spans have another number of tokens than the row.
 */
export function sumFuture(
  row: Float64Array,
  gamma: number,
  spans: readonly StepSpan[] = [{ tokens: row.length, observed: 0 }],
  unit: DiscountUnit = 'tokens',
): void {
  const within = unit === 'steps' ? 1 : gamma;
  let future = 0;
  let distance = 0;
  let t = row.length;
  for (let s = spans.length - 1; s >= 0; s--) {
    const { tokens, observed } = spans[s] as StepSpan;
    for (let k = tokens; k > 0; k--) {
      const decay = k < tokens ? within : gamma ** distance;
      future = (row[--t] as number) + decay * future + 0;
      row[t] = future;
    }
    if (tokens > 0) distance = unit === 'steps' ? 0 : 1;
    if (unit === 'steps') distance += 1;
    if (unit === 'all_tokens') distance += observed;
  }
  if (t !== 0) {
    throw new RllmError(
      'ESTIMATOR_INPUT',
      `The steps of a trajectory have ${row.length - t} tokens, and its row has ${row.length}.`,
    );
  }
}

/** Option of estimators that discount. */
export const gammaOption: z.ZodType<number> = z
  .number()
  .min(0)
  .max(1)
  .default(1)
  .describe('Discount γ of what comes later.');

/** Option of estimators that discount. */
export const discountOption: z.ZodType<DiscountUnit> = z
  .enum(['tokens', 'all_tokens', 'steps'])
  .default('tokens')
  .describe(
    'What γ counts: sampled tokens, sampled tokens and those read between them, or steps (all tokens of a step alike).',
  );
