import { type AdvantageBatch, AdvEstimator, calculateGrpoAdvantages, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { readLengths } from '../tokens/read-tokens.js';
import { checkGroups, type TokenAdvantages, tableOf } from '../tokens/token-table.js';
import { refuseOneTask, whiten } from '../tokens/whiten.js';

export interface TokenWhiteningOptions {
  /** What a group of two or more with equal rewards gets: exactly 0 (default), or what whitening makes of its 0, as in verl. */
  readonly uniformGroups?: 'zero' | 'whiten';
}

/**
 * REINFORCE++ with a group baseline, weighed by tokens: cᵢ = rᵢ − mean of its group, given to each of the Lᵢ tokens of
 * trajectory i, then A = (c − mean) / √(var + 1e-8) over all tokens of the batch, var over n − 1.
 *
 * A long trajectory counts as often as it has tokens, so a long wrong answer gets a smaller penalty than by the SDK's
 * `reinforce_plus_plus_baseline`, which counts it once and does not recentre.
 *
 * | rewards {1, 0}, {1, 1, 1, 0}, lengths {1, 9}, {1, 1, 1, 7} | |
 * | --- | --- |
 * | here, verl | 2.32, −0.19, then 1.70, 1.70, 1.70, −0.82 |
 * | slime (with KL 0) | the same; its variance is E[x²] − E[x]² |
 * | OpenRLHF `reinforce_baseline` (var over n) | 2.38, −0.19, then 1.74, 1.74, 1.74, −0.84 |
 * | rLLM and the SDK's `reinforce_plus_plus_baseline` (by trajectory) | 1.10, −1.10, then 0.55, 0.55, 0.55, −1.64 |
 *
 * TRL, SkyRL, AReaL and ROLL have no estimator of this name.
 *
 * | | here | verl | slime, OpenRLHF |
 * | --- | --- | --- | --- |
 * | lone trajectory | c = r | c = r | c = 0 |
 * | a group with equal rewards | exactly 0; by option as in verl | (0 − mean) / √(var + 1e-8), rarely 0 | as verl |
 * | every c equal | exactly 0 | 0 | 0 |
 *
 * Zeros of uniform groups count in mean and variance. The collection overrides the lone trajectory by
 * `algorithm.loneTrajectory`. The sum over the batch is 0 where no group is uniform.
 *
 * @param rewards  `rewards[g][i]`, finite; not modified.
 * @param lengths  `lengths[g][i]`, tokens of each trajectory; same shape.
 * @returns        `[g][i][t]`, the same number for all tokens of a trajectory; `returns` are c.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE; ESTIMATOR_INPUT when the shapes differ.
 * @see Hu et al. 2025, https://arxiv.org/abs/2501.03262
 */
export function calculateReinforcePlusPlusBaselineTokenAdvantages(
  rewards: readonly ArrayLike<number>[],
  lengths: readonly ArrayLike<number>[],
  { uniformGroups = 'zero' }: TokenWhiteningOptions = {},
): TokenAdvantages {
  const centred = calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: false }).advantages;
  const returns = tableOf(lengths);
  checkGroups(lengths, centred, 'lengths');
  const advantages = tableOf(lengths);
  returns.rows.forEach((group, g) => {
    group.forEach((row, i) => {
      row.fill(centred[g]?.[i] ?? Number.NaN);
    });
  });
  advantages.flat.set(returns.flat);
  whiten(advantages.flat);
  if (uniformGroups === 'zero') {
    advantages.rows.forEach((group, g) => {
      const isUniform = group.length > 1 && centred[g]?.every((value) => value === 0) === true;
      if (isUniform) for (const row of group) row.fill(0);
    });
  }
  return { advantages: advantages.rows, returns: returns.rows };
}

/** Options of the estimator `reinforce_plus_plus_baseline_tokens`. */
export interface ReinforcePlusPlusBaselineTokensOptions {
  readonly uniformGroups: 'zero' | 'whiten';
}

const options: z.ZodType<ReinforcePlusPlusBaselineTokensOptions> = z.strictObject({
  uniformGroups: z
    .enum(['zero', 'whiten'])
    .default('zero')
    .describe('What a group with equal rewards gets: exactly 0, or what whitening makes of it, as in verl.'),
});

/** The estimator `reinforce_plus_plus_baseline_tokens`. */
export const reinforcePlusPlusBaselineTokens: EstimateFunction<ReinforcePlusPlusBaselineTokensOptions> =
  AdvEstimator('reinforce_plus_plus_baseline_tokens', {
    summary:
      'r − mean of the group, whitened over the tokens of the batch (var over n − 1, + 1e-8), as verl does it',
    paper: 'https://arxiv.org/abs/2501.03262',
    scope: 'batch',
    requires: ['lengths'],
    options,
    perToken: true,
    check: refuseOneTask,
  })(({ rewards, groups, options: chosen }: AdvantageBatch<ReinforcePlusPlusBaselineTokensOptions>) =>
    calculateReinforcePlusPlusBaselineTokenAdvantages(rewards, readLengths(groups), chosen),
  );
