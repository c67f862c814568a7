import { AdvEstimator, calculateReinforceAdvantages, type EstimateFunction, type Trajectory } from 'rllm-sdk';
import { isUniform } from './statistics.js';

/**
 * Advantage against the baseline of least variance for an exactly on-policy gradient: Aᵢ = rᵢ − Σⱼ(Lⱼ·rⱼ) / Σⱼ Lⱼ.
 *
 * The baseline weighs each reward with its length, because the squared norm of a trajectory's gradient grows with the number
 * of its tokens. There is no division by std.
 *
 * | | here | verl | rLLM's documentation |
 * | --- | --- | --- | --- |
 * | 1, 0, 0 of lengths 100, 200, 300 | 5/6, −1/6, −1/6 | the same | the same |
 * | what counts as length | sampled tokens of all steps | its loss mask: the same | `response_ids`, in cumulative turns those of one step |
 * | lone trajectory | its reward | its reward | 0 |
 * | all rewards equal | exactly 0 | 0 up to float noise | 0 up to float noise |
 * | all lengths 0 | the plain mean as baseline | NaN | guarded |
 *
 * The collection overrides the lone trajectory by `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @param lengths  `lengths[g][i]`, sampled tokens of each trajectory, ≥ 0; same shape.
 * @returns        fresh arrays of the same shape, in reward units. Their length-weighted sum is 0 in every group of two or more.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE; RangeError when a group has another number of lengths than of rewards.
 * @see Hao et al. 2025, On-Policy RL with Optimal Reward Baseline, https://arxiv.org/abs/2505.23585
 */
export function calculateOpoAdvantages(
  rewards: readonly ArrayLike<number>[],
  lengths: readonly ArrayLike<number>[],
): Float64Array[] {
  const { advantages } = calculateReinforceAdvantages(rewards);
  advantages.forEach((group, g) => {
    const own = lengths[g];
    if (own?.length !== group.length) {
      throw new RangeError(`group ${g} has ${group.length} rewards and ${own?.length ?? 0} lengths`);
    }
    relateToBaseline(group, own);
  });
  return advantages;
}

function relateToBaseline(group: Float64Array, lengths: ArrayLike<number>): void {
  const n = group.length;
  if (n === 1) return;
  if (isUniform([group])) {
    group.fill(0);
    return;
  }
  let total = 0;
  for (let i = 0; i < n; i++) total += lengths[i] ?? Number.NaN;
  // A second pass takes off what rounding left of the first, so that a large offset keeps its digits.
  for (let pass = 0; pass < 2; pass++) {
    let baseline = 0;
    for (let i = 0; i < n; i++) {
      const weight = total > 0 ? (lengths[i] ?? Number.NaN) / total : 1 / n;
      baseline += weight * (group[i] ?? Number.NaN);
    }
    for (let i = 0; i < n; i++) group[i] = (group[i] ?? Number.NaN) - baseline;
  }
}

/** Tokens that the model chose, over all steps. What it was told between them is in prompts, and does not count. */
function sampledTokens({ steps }: Trajectory): number {
  return steps.reduce((total, { responseIds }) => total + responseIds.length, 0);
}

/** The estimator `opo`. */
export const opo: EstimateFunction = AdvEstimator('opo', {
  summary: 'r − Σ(length · r) / Σ length within the group: the length-weighted mean as baseline, no std',
  paper: 'https://arxiv.org/abs/2505.23585',
  scope: 'group',
  requires: ['lengths'],
})(({ rewards, groups }) => ({
  advantages: calculateOpoAdvantages(
    rewards,
    groups.map(({ trajectories }) => trajectories.map(sampledTokens)),
  ),
}));
