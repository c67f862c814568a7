import { type AdvantageBatch, AdvEstimator, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import {
  type DiscountUnit,
  discountOption,
  gammaOption,
  type StepSpan,
  spansOf,
  sumFuture,
} from '../tokens/discount.js';
import { placeRewards, type RewardPlacement, rewardsOption } from '../tokens/place-rewards.js';
import { copyRows, copyTable, type TokenAdvantages, type TokenRows } from '../tokens/token-table.js';
import { refuseOneTask, whiten } from '../tokens/whiten.js';

export interface ReturnOptions {
  /** Discount, in [0, 1]; 1 by default. */
  readonly gamma?: number;
  /** What γ counts; sampled tokens by default. */
  readonly discount?: DiscountUnit;
  /** Steps of each trajectory, `[g][i]`; by default one step each. Read where γ counts more than sampled tokens. */
  readonly spans?: readonly (readonly (readonly StepSpan[])[])[];
  /** Bring all advantages of the batch to mean 0 and variance 1; true by default. */
  readonly whiten?: boolean;
}

/**
 * REINFORCE++: Gₜ = rₜ + γ·Gₜ₊₁ over the sampled tokens of a trajectory, then A = (G − mean) / √(var + 1e-8) over all sampled
 * tokens of the batch, var over n − 1. There is no group: one rollout per task will do.
 *
 * | | here | verl | OpenRLHF `reinforce` | slime | SkyRL | ROLL |
 * | --- | --- | --- | --- | --- | --- | --- |
 * | what γ counts | sampled tokens; `all_tokens` and `steps` by option | sampled tokens | all tokens | all tokens | all tokens | all tokens |
 * | across tool output | goes on | goes on since 2026-08 | goes on | goes on | ends there | goes on |
 * | var over | n − 1, + 1e-8 | n − 1, + 1e-8 | n, at least 1e-8 | n − 1, + 1e-8 | n − 1, + 1e-8 | option |
 * | one token in the batch | 0 | ValueError | 0 | | ValueError | not whitened |
 * | G of mask [1, 0, 1], γ 0.5, reward 1 last | [0.5, –, 1]; [0.25, –, 1] by `all_tokens` | [0.5, –, 1] | [0.25, –, 1] | [0.25, –, 1] | [0, –, 1] | [0.25, –, 1] |
 * | A of rewards 1 and 0, two tokens each, γ 1 | ±0.866025 | ±0.866025 | ±1 | ±0.866025 | ±0.866025 | |
 *
 * AReaL and TRL have no estimator of this name; GRPO of AReaL with `std_level: batch` is near. rLLM cannot express it.
 *
 * Edge cases: a batch in which every G is equal gives exactly 0 when whitened. A uniform group does not: rewards are related to
 * the batch, by definition. Sums over the batch are 0 when whitened.
 *
 * @param tokenRewards  `[g][i][t]`, finite, any scale; not modified.
 * @returns             fresh rows of the same shape; `returns` are G before whitening.
 * @throws RllmError ESTIMATOR_INPUT for a reward that is not finite, or spans that do not fit their row.
 * @see Hu et al. 2025, https://arxiv.org/abs/2501.03262
 */
export function calculateReinforcePlusPlusAdvantages(
  tokenRewards: TokenRows,
  options: ReturnOptions = {},
): TokenAdvantages {
  const { gamma = 1, discount = 'tokens', spans, whiten: whitened = true } = options;
  const returns = copyRows(tokenRewards, 'token rewards');
  returns.rows.forEach((group, g) => {
    group.forEach((row, i) => {
      sumFuture(row, gamma, spans?.[g]?.[i], discount);
    });
  });
  const advantages = copyTable(returns);
  if (whitened) whiten(advantages.flat);
  return { advantages: advantages.rows, returns: returns.rows };
}

/** Options of the estimator `reinforce_plus_plus`. */
export interface ReinforcePlusPlusOptions {
  readonly gamma: number;
  readonly rewards: RewardPlacement;
  readonly discount: DiscountUnit;
  readonly whiten: boolean;
}

/** Fields of the options, which `reinforce_plus_plus_kl` shares. */
export const returnFields: Readonly<{
  gamma: z.ZodType<number>;
  rewards: z.ZodType<RewardPlacement>;
  discount: z.ZodType<DiscountUnit>;
  whiten: z.ZodType<boolean>;
}> = {
  gamma: gammaOption,
  rewards: rewardsOption,
  discount: discountOption,
  whiten: z
    .boolean()
    .default(true)
    .describe("Bring the batch's advantages to mean 0 and variance 1 over all sampled tokens."),
};

const options: z.ZodType<ReinforcePlusPlusOptions> = z.strictObject(returnFields);

/** The estimator `reinforce_plus_plus`. */
export const reinforcePlusPlus: EstimateFunction<ReinforcePlusPlusOptions> = AdvEstimator(
  'reinforce_plus_plus',
  {
    summary: 'G_t = r_t + γ·G_(t+1) over sampled tokens, whitened over the tokens of the batch',
    paper: 'https://arxiv.org/abs/2501.03262',
    scope: 'batch',
    requires: ['lengths'],
    options,
    perToken: true,
    check: (plan) => (options.parse(plan.options).whiten ? refuseOneTask(plan) : []),
  },
)((batch: AdvantageBatch<ReinforcePlusPlusOptions>) =>
  calculateReinforcePlusPlusAdvantages(placeRewards(batch, batch.options.rewards).rows, returnOptions(batch)),
);

/** How a batch's options and steps say that returns are taken. */
export function returnOptions({ groups, options }: AdvantageBatch<ReinforcePlusPlusOptions>): ReturnOptions {
  const { gamma, discount } = options;
  const spans = groups.map(({ trajectories }) => trajectories.map(spansOf));
  return { gamma, discount, whiten: options.whiten, spans };
}
