import { type AdvantageBatch, AdvEstimator, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { gammaOption } from '../tokens/discount.js';
import { placeRewards, type RewardPlacement, rewardsOption } from '../tokens/place-rewards.js';
import { readTokens } from '../tokens/read-tokens.js';
import { checkShape, copyRows, type TokenAdvantages, type TokenRows } from '../tokens/token-table.js';
import { refuseOneTask, whiten } from '../tokens/whiten.js';

export interface GaeParameters {
  /** Discount, in [0, 1]; 1 by default. */
  readonly gamma?: number;
  /** Weight of later errors, in [0, 1]; 0.95 by default. 1 gives returns less values, 0 one-step errors. */
  readonly lambda?: number;
  /** Trajectories, `[g][i]`, that were cut off: after their last token they go on at its value instead of 0. */
  readonly truncated?: readonly (readonly boolean[])[];
  /** Bring all advantages of the batch to mean 0 and variance 1; true by default. Returns are never whitened. */
  readonly whiten?: boolean;
}

/**
 * Generalised advantage estimation over the sampled tokens of a trajectory, t = 0 … T − 1:
 * δₜ = rₜ + γ·Vₜ₊₁ − Vₜ, Aₜ = δₜ + γλ·Aₜ₊₁, returnₜ = Aₜ + Vₜ, with A_T = 0 and V_T = 0.
 *
 * What was read between steps is not there: the next value of a step's last token is that of the next step's first.
 *
 * | | here | verl | AReaL | OpenRLHF | SkyRL, slime | ROLL |
 * | --- | --- | --- | --- | --- | --- | --- |
 * | tool output | skipped | skipped | skipped | its V is 0, so V is 0 at each border | not handled | masked after |
 * | V after the last token | 0, or V of the last token where `truncated` says so | 0 | its V after the last token where the row has no padding | 0 | 0 | 0 |
 * | whitening | option, on; n − 1, + 1e-8 | always, n − 1 | option `adv_norm` | always, n | SkyRL always, slime option | option |
 * | r [0, 0, 1], V [0.1, 0.2, 0.3], γ 1, λ 0.95, no whitening | [0.82675, 0.765, 0.7] | the same | the same | the same | the same | the same |
 * | the same, cut off | [1.0975, 1.05, 1] | | the same if its V after the last token is 0.3 | | | |
 *
 * TRL's PPO is as verl. AReaL tells from padding that a trajectory was cut off; here its termination reason does, and the
 * estimator has it off by default. A step has values before its tokens only, so V of the last token stands for V after it. A
 * limit on turns is no property of the task, and a value of 0 there teaches the critic that it is.
 *
 * Edge cases: equal advantages become exactly 0 when whitened, one token alone included. A uniform group gets 0 only if the
 * critic says so.
 *
 * @param tokenRewards  `[g][i][t]`, finite; not modified.
 * @param values        same shape: the critic's value before each token.
 * @returns             fresh rows of the same shape.
 * @throws RllmError ESTIMATOR_INPUT when shapes differ, or a number is not finite.
 * @see Schulman et al. 2015, https://arxiv.org/abs/1506.02438
 */
export function calculateGaeAdvantages(
  tokenRewards: TokenRows,
  values: TokenRows,
  parameters: GaeParameters = {},
): TokenAdvantages {
  const { gamma = 1, lambda = 0.95, truncated, whiten: whitened = true } = parameters;
  checkShape(values, tokenRewards, 'values');
  // In place, from the last token: rewards turn into returns, values into advantages.
  const returns = copyRows(tokenRewards, 'token rewards');
  const advantages = copyRows(values, 'values');
  returns.rows.forEach((group, g) => {
    group.forEach((row, i) => {
      const own = advantages.rows[g]?.[i] as Float64Array;
      const last = row.length - 1;
      let nextValue = last >= 0 && truncated?.[g]?.[i] === true ? (own[last] as number) : 0;
      let next = 0;
      for (let t = last; t >= 0; t--) {
        const value = own[t] as number;
        next = (row[t] as number) + gamma * nextValue - value + gamma * lambda * next + 0;
        own[t] = next;
        row[t] = next + value;
        nextValue = value;
      }
    });
  });
  if (whitened) whiten(advantages.flat);
  return { advantages: advantages.rows, returns: returns.rows };
}

/** Options of the estimator `gae`. */
export interface GaeOptions {
  readonly gamma: number;
  readonly lambda: number;
  readonly rewards: RewardPlacement;
  readonly bootstrapTruncated: boolean;
  readonly whiten: boolean;
}

/** Fields of the options, which `gae_kl` shares. */
export const gaeFields: Readonly<{ [Name in keyof GaeOptions]: z.ZodType<GaeOptions[Name]> }> = {
  gamma: gammaOption,
  lambda: z.number().min(0).max(1).default(0.95).describe('Weight λ of later errors of the critic.'),
  rewards: rewardsOption,
  bootstrapTruncated: z
    .boolean()
    .default(false)
    .describe(
      'A trajectory that a limit ended (termination reason max_… or timeout) goes on at its last value, not at 0.',
    ),
  whiten: z
    .boolean()
    .default(true)
    .describe("Bring the batch's advantages to mean 0 and variance 1 over all sampled tokens."),
};

const options: z.ZodType<GaeOptions> = z.strictObject(gaeFields);

/** The estimator `gae`. */
export const gae: EstimateFunction<GaeOptions> = AdvEstimator('gae', {
  summary:
    'δ_t + γλ·A_(t+1), δ_t = r_t + γ·V_(t+1) − V_t, whitened over the tokens of the batch; needs a critic',
  paper: 'https://arxiv.org/abs/1506.02438',
  scope: 'batch',
  requires: ['lengths', 'values'],
  options,
  perToken: true,
  check: (plan) => (options.parse(plan.options).whiten ? refuseOneTask(plan) : []),
})((batch: AdvantageBatch<GaeOptions>) =>
  calculateGaeAdvantages(
    placeRewards(batch, batch.options.rewards).rows,
    readTokens(batch.groups, 'values', 'gae').rows,
    gaeParameters(batch),
  ),
);

/** How a batch's options and the ends of its rollouts say that errors are taken. */
export function gaeParameters({ groups, options }: AdvantageBatch<GaeOptions>): GaeParameters {
  const { gamma, lambda, bootstrapTruncated } = options;
  const truncated = groups.map(({ trajectories, metadata }) =>
    trajectories.map((_, i) => bootstrapTruncated && isCutOff(metadata[i]?.terminationReason)),
  );
  return { gamma, lambda, whiten: options.whiten, truncated };
}

/** Whether a limit of the run ended it, of turns, tokens or time. */
function isCutOff(reason: string | undefined): boolean {
  return reason === 'timeout' || reason?.startsWith('max_') === true;
}
