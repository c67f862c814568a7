import {
  type AdvantageBatch,
  AdvEstimator,
  calculateReinforceAdvantages,
  type EstimateFunction,
  type EstimatorPlan,
} from 'rllm-sdk';
import { z } from 'zod';
import { isUniform } from './statistics.js';
import { tiltInPlace } from './tilted-advantages.js';

export interface EntropicAdaptiveBetaOptions {
  /** How far the tilted weights go from uniform, in nats. */
  readonly klBudget: number;
  /** Bound of β, where a group cannot spend the budget. */
  readonly maxBeta: number;
  /** Bound of the advantage of a winner; `null` for none. */
  readonly maxAdvantage: number | null;
}

const DEFAULTS: EntropicAdaptiveBetaOptions = { klBudget: Math.LN2, maxBeta: 1e6, maxAdvantage: 100 };
const BISECTIONS = 60;

export const entropicAdaptiveBetaOptions: z.ZodType<EntropicAdaptiveBetaOptions> = z.strictObject({
  klBudget: z
    .number()
    .positive()
    .default(DEFAULTS.klBudget)
    .describe('How far the tilted weights go from uniform, in nats; by default ln 2.'),
  maxBeta: z
    .number()
    .min(1)
    .default(DEFAULTS.maxBeta)
    .describe('Bound of beta, where a group cannot spend the budget.'),
  maxAdvantage: z
    .number()
    .positive()
    .nullable()
    .default(DEFAULTS.maxAdvantage)
    .describe('Bound of the advantage of a winner; `null` for none.'),
});

/**
 * Entropic advantage with a β of each group's own: the one at which KL(softmax(β·r) ‖ uniform) is the budget, found by doubling
 * and 60 bisections; `maxBeta` where the group never gets there.
 *
 * | | here, by default | TTT-Discover |
 * | --- | --- | --- |
 * | 1, 0, 0, 0 | β 2.553: 11.85, −0.80 × 3 | the same |
 * | 1, 0.9, 0.1, 0 | β 5.63: 4.18, 0.69, −0.99, −0.99 | the same |
 * | 1, 1, 1, 0: more than half win, ln 2 is out of reach | 0.5 × 3, −1 | the same, β 1048576 |
 * | 1, 0: two rollouts reach ln 2 in the limit only | 100, −1: `maxAdvantage` | 1e12, −1 |
 * | n rollouts per task with ln n ≤ the budget: two for ln 2 | refused at start | accepted |
 * | lone trajectory, all rewards equal | exactly 0 | 0 up to 1e-12 |
 *
 * A shift or a scale of all rewards changes nothing, as long as `maxBeta` is not reached: it is in units of 1 / reward. Groups
 * of two still occur when others fall out, with the numbers above. The advantages of a group do not sum to 0, see `entropic`.
 * The collection overrides the lone trajectory by `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite; not modified.
 * @returns        fresh arrays of the same shape, without unit, in [−1, maxAdvantage].
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see TTT-Discover, https://arxiv.org/abs/2601.16175
 */
export function calculateEntropicAdaptiveBetaAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: Partial<EntropicAdaptiveBetaOptions> = {},
): Float64Array[] {
  const { klBudget, maxBeta, maxAdvantage } = { ...DEFAULTS, ...options };
  const { advantages } = calculateReinforceAdvantages(rewards);
  for (const group of advantages) {
    if (isUniform([group])) group.fill(0);
    else tiltInPlace(group, spendingBeta(group, klBudget, maxBeta), maxAdvantage);
  }
  return advantages;
}

/**
 * The β > 0 at which KL(softmax(β·r) ‖ uniform) = klBudget, to 60 bisections; `maxBeta` where it stays below.
 *
 * @param group  rewards of two or more trajectories that are not all equal.
 */
export function spendingBeta(group: Float64Array, klBudget: number, maxBeta: number): number {
  const max = group.reduce((largest, reward) => Math.max(largest, reward));
  let high = 1;
  while (high < maxBeta && klFromUniform(group, max, high) < klBudget) high = Math.min(2 * high, maxBeta);
  if (klFromUniform(group, max, high) < klBudget) return maxBeta;
  let low = 0;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (klFromUniform(group, max, middle) < klBudget) low = middle;
    else high = middle;
  }
  return high;
}

/** Σ q·ln(q·n) with q = softmax(β·r), as ln n − ln Σe + Σ e·ln e / Σe with e = exp(β·(r − max r)); rises with β. */
function klFromUniform(group: Float64Array, max: number, beta: number): number {
  let total = 0;
  let spread = 0;
  for (const reward of group) {
    const exponent = beta * (reward - max);
    const weight = Math.exp(exponent);
    total += weight;
    // Where the weight is 0 the exponent may be −∞, and their product in the limit is 0.
    if (weight > 0) spread += weight * exponent;
  }
  return Math.log(group.length / total) + spread / total;
}

/** One winner of n has a KL of ln n from uniform; no rewards of n rollouts have more. */
function refuseTooFewRollouts({ rollouts, options }: EstimatorPlan): readonly string[] {
  const { klBudget } = entropicAdaptiveBetaOptions.parse(options);
  if (klBudget < Math.log(rollouts)) return [];
  const needed = Math.floor(Math.exp(klBudget)) + 1;
  const most = rollouts === 1 ? '1 rollout reaches' : `${rollouts} rollouts reach`;
  return [
    `its klBudget is ${klBudget} nats, and ${most} ${Math.log(rollouts)} in the limit only, whatever their rewards are. Set rollout.n to ${needed} or more, lower klBudget, or take "entropic" with a fixed beta.`,
  ];
}

/** The estimator `entropic_adaptive_beta`. */
export const entropicAdaptiveBeta: EstimateFunction<EntropicAdaptiveBetaOptions> = AdvEstimator(
  'entropic_adaptive_beta',
  {
    summary: 'entropic, with the beta of each group at which KL(softmax(beta · r) ‖ uniform) = klBudget',
    paper: 'https://arxiv.org/abs/2601.16175',
    scope: 'group',
    options: entropicAdaptiveBetaOptions,
    check: refuseTooFewRollouts,
  },
)(({ rewards, options }: AdvantageBatch<EntropicAdaptiveBetaOptions>) => ({
  advantages: calculateEntropicAdaptiveBetaAdvantages(rewards, options),
}));
