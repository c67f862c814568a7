import {
  type AdvantageBatch,
  AdvEstimator,
  calculateReinforceAdvantages,
  type EstimateFunction,
} from 'rllm-sdk';
import { z } from 'zod';
import { isUniform } from './statistics.js';
import { tiltInPlace } from './tilted-advantages.js';

export interface EntropicOptions {
  /** Inverse temperature, in units of 1 / reward. */
  readonly beta: number;
  /** Bound of the advantage of a winner; `null` for none. */
  readonly maxAdvantage: number | null;
}

const DEFAULTS: EntropicOptions = { beta: 2, maxAdvantage: 100 };

export const entropicOptions: z.ZodType<EntropicOptions> = z.strictObject({
  beta: z.number().positive().default(DEFAULTS.beta).describe('Inverse temperature, in units of 1 / reward.'),
  maxAdvantage: z
    .number()
    .positive()
    .nullable()
    .default(DEFAULTS.maxAdvantage)
    .describe('Bound of the advantage of a winner; `null` for none.'),
});

/**
 * Entropic advantage: Aᵢ = eᵢ / (Zᵢ + 1e-12) − 1 with eᵢ = exp(β·(rᵢ − max r)) and Zᵢ = mean(eⱼ, j ≠ i), at most `maxAdvantage`.
 *
 * It climbs log E[exp(β·r)] instead of E[r], so the best rollouts count more than the others. With the leave-one-out Z the
 * advantages of a group do not sum to 0: there is net upward pressure, +4.3 in the first row.
 *
 * | | here, by default | TTT-Discover |
 * | --- | --- | --- |
 * | β = 2: 1, 0, 0, 0 | 6.389, −0.680 × 3 | the same |
 * | β = 2: 1, 0 | 6.389, −0.865 | the same |
 * | β = 2: 100, 0, 0, 0 | 100, −1 × 3: `maxAdvantage` | 1e12, −1 × 3 |
 * | lone trajectory | 0 | 0 up to 1e-12 |
 * | all rewards equal | exactly 0 | 0 up to 1e-12 |
 *
 * A shift of all rewards changes nothing; a scale does, as β has a unit. The collection overrides the lone trajectory by
 * `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite; not modified.
 * @returns        fresh arrays of the same shape, without unit, in [−1, maxAdvantage].
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see TTT-Discover, https://arxiv.org/abs/2601.16175
 */
export function calculateEntropicAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: Partial<EntropicOptions> = {},
): Float64Array[] {
  const { beta, maxAdvantage } = { ...DEFAULTS, ...options };
  const { advantages } = calculateReinforceAdvantages(rewards);
  for (const group of advantages) {
    if (isUniform([group])) group.fill(0);
    else tiltInPlace(group, beta, maxAdvantage);
  }
  return advantages;
}

/** The estimator `entropic`. */
export const entropic: EstimateFunction<EntropicOptions> = AdvEstimator('entropic', {
  summary: 'exp(beta · r) / mean of exp(beta · r) of the others in the group − 1, at most maxAdvantage',
  paper: 'https://arxiv.org/abs/2601.16175',
  scope: 'group',
  options: entropicOptions,
})(({ rewards, options }: AdvantageBatch<EntropicOptions>) => ({
  advantages: calculateEntropicAdvantages(rewards, options),
}));
