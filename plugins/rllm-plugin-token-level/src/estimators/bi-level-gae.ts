import { type AdvantageBatch, AdvEstimator, type EstimateFunction, RllmError } from 'rllm-sdk';
import { z } from 'zod';
import { gammaOption, spansOf } from '../tokens/discount.js';
import { placeRewards, type RewardPlacement, rewardsOption } from '../tokens/place-rewards.js';
import { readTokens } from '../tokens/read-tokens.js';
import {
  checkGroups,
  checkShape,
  copyRows,
  type TokenAdvantages,
  type TokenRows,
} from '../tokens/token-table.js';
import { refuseOneTask, whiten } from '../tokens/whiten.js';

export interface BiLevelGaeParameters {
  /** Discount between turns, in [0, 1]; 0.95 by default. */
  readonly turnGamma?: number;
  /** Discount between the tokens of a turn, in [0, 1]; 1 by default. */
  readonly gamma?: number;
  /** Weight of later errors, of turns and of tokens, in [0, 1]; 0.95 by default. */
  readonly lambda?: number;
  /** Bring all advantages of the batch to mean 0 and variance 1; true by default. Returns are never whitened. */
  readonly whiten?: boolean;
}

/**
 * Generalised advantage estimation on two levels. Turns k = 0 … K − 1 are the steps that have tokens, eₖ is a turn's last token
 * and rₖ the sum of the rewards on its tokens:
 *
 * - between turns: δₖ = rₖ + γ_turn·V(eₖ₊₁) − V(eₖ), Aₖ = δₖ + γ_turn·λ·Aₖ₊₁, Rₖ = Aₖ + V(eₖ), with A_K = 0 and V(e_K) = 0;
 * - within turn k, as if it were an episode that ends in the reward Rₖ: δₜ = γ·V(t + 1) − V(t) and A(t) = δₜ + γλ·A(t + 1)
 *   before its last token, A(eₖ) = Aₖ there. Returns are A(t) + V(t).
 *
 * So a long turn does not thin out what later turns earned, and γ_turn counts decisions where γ counts tokens.
 *
 * | turns of 1 and 2 tokens, r [0.5, 0, 1], V [0.1, 0.2, 0.3], γ 1, λ 0.95, not whitened | |
 * | --- | --- |
 * | here, RAGEN, γ_turn 1 | [1.365, 0.765, 0.7] |
 * | here, RAGEN, γ_turn 0.5 | [0.8825, 0.765, 0.7] |
 * | `gae` | [1.32675, 0.765, 0.7] |
 *
 * | | here | RAGEN |
 * | --- | --- | --- |
 * | end of a turn | the last token of a step | a token whose reward is not 0 |
 * | a turn with the reward 0 | a turn | no turn: its tokens belong to the next; an error where it is the last |
 * | r [0, 1] on two turns of one token, V [0.1, 0.2], γ_turn 0.5 | [0.38, 0.8] | one turn of two tokens |
 * | whitening | option, on; n − 1, + 1e-8 | always, n − 1 |
 *
 * Edge cases: one turn gives `gae` exactly. A trajectory without tokens has none.
 *
 * @param tokenRewards  `[g][i][t]`, finite; not modified.
 * @param values        same shape: the critic's value before each token.
 * @param turns         `turns[g][i][k]`, tokens of each turn in order; they sum to those of the trajectory. 0 is no turn.
 * @returns             fresh rows of the shape of `tokenRewards`.
 * @throws RllmError ESTIMATOR_INPUT when shapes differ, or a number is not finite.
 * @see Wang et al. 2025 (RAGEN), https://arxiv.org/abs/2504.20073, and its `compute_bi_level_gae_advantage_return`
 */
export function calculateBiLevelGaeAdvantages(
  tokenRewards: TokenRows,
  values: TokenRows,
  turns: readonly (readonly (readonly number[])[])[],
  parameters: BiLevelGaeParameters = {},
): TokenAdvantages {
  const { turnGamma = 0.95, gamma = 1, lambda = 0.95, whiten: whitened = true } = parameters;
  checkShape(values, tokenRewards, 'values');
  checkGroups(turns, tokenRewards, 'turns');
  // In place, from the last token: rewards turn into returns, values into advantages.
  const returns = copyRows(tokenRewards, 'token rewards');
  const advantages = copyRows(values, 'values');
  returns.rows.forEach((group, g) => {
    group.forEach((row, i) => {
      const own = advantages.rows[g]?.[i] as Float64Array;
      let end = row.length;
      let ofNextTurn = { advantage: 0, value: 0 };
      for (const tokens of (turns[g]?.[i] ?? []).toReversed()) {
        if (tokens === 0) continue;
        const start = end - tokens;
        if (start < 0) break;
        let reward = 0;
        for (let t = start; t < end; t++) reward += row[t] as number;
        const value = own[end - 1] as number;
        const error = reward + turnGamma * ofNextTurn.value - value;
        const advantage = error + turnGamma * lambda * ofNextTurn.advantage;
        spreadWithin(row, own, { start, end, advantage, gamma, lambda });
        ofNextTurn = { advantage, value };
        end = start;
      }
      if (end !== 0) throw otherTokens(g, i, row.length);
    });
  });
  if (whitened) whiten(advantages.flat);
  return { advantages: advantages.rows, returns: returns.rows };
}

/** Writes the returns and advantages of one turn over its rewards and values. */
function spreadWithin(
  returns: Float64Array,
  values: Float64Array,
  turn: { start: number; end: number; advantage: number; gamma: number; lambda: number },
): void {
  const { start, end, gamma, lambda } = turn;
  let { advantage } = turn;
  let nextValue = 0;
  for (let t = end - 1; t >= start; t--) {
    const value = values[t] as number;
    if (t < end - 1) advantage = gamma * nextValue - value + gamma * lambda * advantage;
    values[t] = advantage + 0;
    returns[t] = advantage + value;
    nextValue = value;
  }
}

function otherTokens(g: number, i: number, tokens: number): RllmError {
  return new RllmError(
    'ESTIMATOR_INPUT',
    `The turns of trajectory ${i} of group ${g} do not have the ${tokens} tokens of its row together.`,
    { details: { group: g, trajectory: i, expected: tokens } },
  );
}

/** Options of the estimator `bi_level_gae`. */
export interface BiLevelGaeOptions {
  readonly turnGamma: number;
  readonly gamma: number;
  readonly lambda: number;
  readonly rewards: RewardPlacement;
  readonly whiten: boolean;
}

const options: z.ZodType<BiLevelGaeOptions> = z.strictObject({
  turnGamma: z.number().min(0).max(1).default(0.95).describe('Discount γ between turns.'),
  gamma: gammaOption,
  lambda: z.number().min(0).max(1).default(0.95).describe('Weight λ of later errors of the critic.'),
  rewards: rewardsOption,
  whiten: z
    .boolean()
    .default(true)
    .describe("Bring the batch's advantages to mean 0 and variance 1 over all sampled tokens."),
});

/** The estimator `bi_level_gae`. */
export const biLevelGae: EstimateFunction<BiLevelGaeOptions> = AdvEstimator('bi_level_gae', {
  summary:
    'GAE between the turns of a trajectory, then within each turn with the return of the turn as its reward; needs a critic',
  paper: 'https://arxiv.org/abs/2504.20073',
  scope: 'batch',
  requires: ['lengths', 'values'],
  options,
  perToken: true,
  check: (plan) => (options.parse(plan.options).whiten ? refuseOneTask(plan) : []),
})((batch: AdvantageBatch<BiLevelGaeOptions>) => {
  const { groups, options: chosen } = batch;
  return calculateBiLevelGaeAdvantages(
    placeRewards(batch, chosen.rewards).rows,
    readTokens(groups, 'values', 'bi_level_gae').rows,
    groups.map(({ trajectories }) =>
      trajectories.map((trajectory) => spansOf(trajectory).map(({ tokens }) => tokens)),
    ),
    chosen,
  );
});
