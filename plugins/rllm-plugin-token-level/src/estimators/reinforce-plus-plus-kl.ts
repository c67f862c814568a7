import { type AdvantageBatch, AdvEstimator, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { type DivergenceEstimator, divergence, refuseDoubleKl } from '../tokens/divergence.js';
import { placeRewards } from '../tokens/place-rewards.js';
import { readTokens } from '../tokens/read-tokens.js';
import { checkShape, copyRows, type TokenRows } from '../tokens/token-table.js';
import { refuseOneTask } from '../tokens/whiten.js';
import {
  calculateReinforcePlusPlusAdvantages,
  type ReinforcePlusPlusOptions,
  returnFields,
  returnOptions,
} from './reinforce-plus-plus.js';

/**
 * Takes coefficient · k(log π − log π_ref) off the reward of each token.
 *
 * With mask [1, 0, 0, 1], k = 1 everywhere, coefficient 1, γ 0.9 and no other reward, G of the first token is −(1 + 0.9³) =
 * −1.729 where γ counts all tokens, and −1.9 where it counts sampled ones. What was read has no KL here; systems that forget to
 * mask it get −3.439.
 *
 * @param tokenRewards  `[g][i][t]`; not modified.
 * @returns             fresh rows.
 * @throws RllmError ESTIMATOR_INPUT when a row has another length than the rewards.
 */
export function subtractDivergence(
  tokenRewards: TokenRows,
  logprobs: TokenRows,
  referenceLogprobs: TokenRows,
  {
    coefficient,
    klEstimator = 'k1',
  }: { readonly coefficient: number; readonly klEstimator?: DivergenceEstimator },
): readonly (readonly Float64Array[])[] {
  checkShape(logprobs, tokenRewards, 'log-probs');
  checkShape(referenceLogprobs, tokenRewards, 'reference log-probs');
  const { rows } = copyRows(tokenRewards, 'token rewards');
  rows.forEach((group, g) => {
    group.forEach((row, i) => {
      for (let t = 0; t < row.length; t++) {
        const d = (logprobs[g]?.[i]?.[t] ?? Number.NaN) - (referenceLogprobs[g]?.[i]?.[t] ?? Number.NaN);
        row[t] = (row[t] as number) - coefficient * divergence(d, klEstimator);
      }
    });
  });
  return rows;
}

/** Options of the estimator `reinforce_plus_plus_kl`. */
export interface ReinforcePlusPlusKlOptions extends ReinforcePlusPlusOptions {
  readonly coefficient: number;
  readonly klEstimator: DivergenceEstimator;
}

const options: z.ZodType<ReinforcePlusPlusKlOptions> = z.strictObject({
  ...returnFields,
  coefficient: z
    .number()
    .min(0)
    .default(0.001)
    .describe("Weight of the KL that is taken off each token's reward, in reward units per nat."),
  klEstimator: z
    .enum(['k1', 'k2', 'k3'])
    .default('k1')
    .describe('Estimate of the KL of a token, with d = logπ − logπ_ref: d, d²/2 or exp(−d) − 1 + d.'),
});

/** The estimator `reinforce_plus_plus_kl`: the same with the KL from a reference policy in the reward of each token. */
export const reinforcePlusPlusKl: EstimateFunction<ReinforcePlusPlusKlOptions> = AdvEstimator(
  'reinforce_plus_plus_kl',
  {
    summary: 'reinforce_plus_plus of r_t − coefficient · KL_t, the KL from a reference policy at each token',
    paper: 'https://arxiv.org/abs/2501.03262',
    scope: 'batch',
    requires: ['lengths', 'logprobs', 'referenceLogprobs'],
    options,
    perToken: true,
    check: (plan) => [
      ...(options.parse(plan.options).whiten ? refuseOneTask(plan) : []),
      ...refuseDoubleKl(plan),
    ],
  },
)((batch: AdvantageBatch<ReinforcePlusPlusKlOptions>) => {
  const name = 'reinforce_plus_plus_kl';
  const logprobs = readTokens(batch.groups, 'logprobs', name).rows;
  const reference = readTokens(batch.groups, 'referenceLogprobs', name).rows;
  const rewards = placeRewards(batch, batch.options.rewards).rows;
  return calculateReinforcePlusPlusAdvantages(
    subtractDivergence(rewards, logprobs, reference, batch.options),
    returnOptions(batch),
  );
});
