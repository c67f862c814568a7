import {
  type AdvantageBatch,
  AdvEstimator,
  type AlgorithmConfig,
  type EstimateFunction,
  RllmError,
  type TrajectoryGroup,
} from 'rllm-sdk';
import { z } from 'zod';
import { sumFuture } from '../tokens/discount.js';
import { placeRewards, type RewardPlacement, rewardsOption } from '../tokens/place-rewards.js';
import { copyRows, copyTable, type TokenAdvantages, type TokenRows } from '../tokens/token-table.js';

/**
 * ReMax: Aₜ = Gₜ − b, with Gₜ = Σ rⱼ, j ≥ t, over the sampled tokens of a trajectory, and b the reward of a greedy rollout of the
 * same task. No std, no group mean: one rollout per task will do.
 *
 * | | here | verl, RAGEN | paper |
 * | --- | --- | --- | --- |
 * | rewards 1 and 0 last, greedy 1, two tokens each | [0, 0], [−1, −1] | the same | the same |
 * | rewards [0.5, 1], greedy 1 | [0.5, 0] | the same | |
 * | greedy rollout | never a member of the group | generated apart, its reward alone kept | the same |
 *
 * OpenRLHF, TRL, slime, SkyRL, AReaL, ROLL and rLLM do not have it.
 *
 * Edge cases: a reward that equals the greedy one gives exactly 0. A uniform group gets r − b, 0 only when it equals b.
 *
 * @param tokenRewards  `[g][i][t]`, finite; not modified.
 * @param baselines     `[g]`, reward of the greedy rollout of the group's task.
 * @returns             fresh rows of the same shape; `returns` are G.
 * @throws RllmError ESTIMATOR_INPUT for a reward that is not finite, and for a group without baseline.
 * @see Li et al. 2023, https://arxiv.org/abs/2310.10505
 */
export function calculateRemaxAdvantages(
  tokenRewards: TokenRows,
  baselines: ArrayLike<number>,
): TokenAdvantages {
  const returns = copyRows(tokenRewards, 'token rewards');
  for (const group of returns.rows) for (const row of group) sumFuture(row, 1);
  const advantages = copyTable(returns);
  advantages.rows.forEach((group, g) => {
    const baseline = baselines[g];
    if (baseline === undefined) {
      throw new RllmError(
        'ESTIMATOR_INPUT',
        `Group ${g} has no greedy baseline: ${baselines.length} were given.`,
      );
    }
    for (const row of group) for (let t = 0; t < row.length; t++) row[t] = (row[t] as number) - baseline + 0;
  });
  return { advantages: advantages.rows, returns: returns.rows };
}

/** Options of the estimator `remax`. */
export interface RemaxOptions {
  readonly rewards: RewardPlacement;
}

const options: z.ZodType<RemaxOptions> = z.strictObject({ rewards: rewardsOption });

/**
 * The estimator `remax`. The baseline is the mean reward of the group's greedy rollouts, of which there is one, each within the
 * bounds of `algorithm.rewardClip`; penalties are taken off rewards only, which leaves the gradient unbiased.
 *
 * A group without a finite greedy reward does not reach it in a run: under `missingReward: "exclude"` the trainer drops it, else
 * the collection throws ESTIMATOR_INPUT for what `remax` requires. Called by itself, `remax` throws the same, and under
 * `"exclude"` gives the group exactly 0.
 */
export const remax: EstimateFunction<RemaxOptions> = AdvEstimator('remax', {
  summary: 'reward-to-go − reward of a greedy rollout of the task, no std',
  paper: 'https://arxiv.org/abs/2310.10505',
  scope: 'group',
  requires: ['lengths', 'greedyBaseline'],
  options,
  perToken: true,
})((batch: AdvantageBatch<RemaxOptions>) => {
  const { groups, algorithm } = batch;
  const baselines = groups.map((group) => {
    const reward = greedyReward(group, algorithm.rewardClip);
    if (reward === undefined && algorithm.missingReward === 'error') throw withoutBaseline(group);
    return reward;
  });
  const rewards = placeRewards(batch, batch.options.rewards).rows;
  const { advantages, returns } = calculateRemaxAdvantages(
    rewards,
    baselines.map((baseline) => baseline ?? 0),
  );
  baselines.forEach((baseline, g) => {
    if (baseline === undefined) for (const row of advantages[g] ?? []) row.fill(0);
  });
  return { advantages, returns };
});

/** Mean reward of the greedy rollouts that have one, each clipped as any reward is; undefined where none has. */
function greedyReward(
  { baselines = [] }: TrajectoryGroup,
  { min, max }: AlgorithmConfig['rewardClip'],
): number | undefined {
  const scored = baselines.flatMap(({ reward }) =>
    reward !== undefined && Number.isFinite(reward)
      ? [Math.min(max ?? reward, Math.max(min ?? reward, reward))]
      : [],
  );
  return scored.length === 0 ? undefined : scored.reduce((sum, reward) => sum + reward, 0) / scored.length;
}

function withoutBaseline({ taskId, role }: TrajectoryGroup): RllmError {
  return new RllmError(
    'ESTIMATOR_INPUT',
    `remax needs a greedy rollout with a finite reward: task "${taskId}", role "${role}" has none.`,
    { details: { taskId, role } },
  );
}
