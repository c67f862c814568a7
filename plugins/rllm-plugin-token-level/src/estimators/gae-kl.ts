import { type AdvantageBatch, AdvEstimator, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import {
  type DivergenceParameters,
  divergenceFields,
  refuseDoubleKl,
  subtractDivergence,
} from '../tokens/divergence.js';
import { placeRewards } from '../tokens/place-rewards.js';
import { readTokens } from '../tokens/read-tokens.js';
import { refuseOneTask } from '../tokens/whiten.js';
import { calculateGaeAdvantages, type GaeOptions, gaeFields, gaeParameters } from './gae.js';

/** Options of the estimator `gae_kl`. */
export interface GaeKlOptions extends GaeOptions, Required<DivergenceParameters> {}

const options: z.ZodType<GaeKlOptions> = z.strictObject({ ...gaeFields, ...divergenceFields });

/**
 * The estimator `gae_kl`: `gae` of rₜ − coefficient · KLₜ, the KL from a reference policy in the reward of each token, as PPO has it
 * in RLHF. What the critic learns, the returns, has the KL in it too.
 *
 * | r [0, 0, 1], d [0.1, −0.2, 0.3], V [0.1, 0.2, 0.3], coefficient 0.5, γ 1, λ 0.95, no whitening | A |
 * | --- | --- |
 * | here, verl (`use_kl_in_reward`), TRL's PPO, OpenRLHF, slime | [0.736375, 0.7225, 0.55] |
 *
 * With λ = 1 and γ = 1 the first advantage is that of `gae` with `algorithm.klInReward`; with λ below 1 it is not, since there
 * the whole KL of a trajectory stands on its last token. SkyRL and ROLL are as verl; AReaL has it by `kl_ctl`.
 *
 * @see Ouyang et al. 2022 (InstructGPT), https://arxiv.org/abs/2203.02155
 */
export const gaeKl: EstimateFunction<GaeKlOptions> = AdvEstimator('gae_kl', {
  summary: 'gae of r_t − coefficient · KL_t, the KL from a reference policy at each token; needs a critic',
  paper: 'https://arxiv.org/abs/2203.02155',
  scope: 'batch',
  requires: ['lengths', 'values', 'logprobs', 'referenceLogprobs'],
  options,
  perToken: true,
  check: (plan) => [
    ...(options.parse(plan.options).whiten ? refuseOneTask(plan) : []),
    ...refuseDoubleKl(plan),
  ],
})((batch: AdvantageBatch<GaeKlOptions>) => {
  const { groups, options: chosen } = batch;
  const rewards = subtractDivergence(
    placeRewards(batch, chosen.rewards).rows,
    readTokens(groups, 'logprobs', 'gae_kl').rows,
    readTokens(groups, 'referenceLogprobs', 'gae_kl').rows,
    chosen,
  );
  return calculateGaeAdvantages(rewards, readTokens(groups, 'values', 'gae_kl').rows, gaeParameters(batch));
});
