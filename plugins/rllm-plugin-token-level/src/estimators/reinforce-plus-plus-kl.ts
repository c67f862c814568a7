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
import {
  calculateReinforcePlusPlusAdvantages,
  type ReinforcePlusPlusOptions,
  returnFields,
  returnOptions,
} from './reinforce-plus-plus.js';

/** Options of the estimator `reinforce_plus_plus_kl`. */
export interface ReinforcePlusPlusKlOptions
  extends ReinforcePlusPlusOptions,
    Required<DivergenceParameters> {}

const options: z.ZodType<ReinforcePlusPlusKlOptions> = z.strictObject({
  ...returnFields,
  ...divergenceFields,
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
