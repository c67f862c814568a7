import type { AlgorithmConfig, KlInRewardConfig, LengthPenaltyConfig } from '../config/types.js';
import type { Trajectory, TrajectoryGroup } from '../types/index.js';
import { responseTokens } from './check-estimates.js';
import { estimatorInput } from './estimator-input.js';

/** Whether any policy changes rewards before an estimator sees them. */
export function isShaping({ rewardClip, lengthPenalty, klInReward }: AlgorithmConfig): boolean {
  return (
    rewardClip.min !== null || rewardClip.max !== null || lengthPenalty !== null || klInReward.coefficient > 0
  );
}

/**
 * Changes rewards as the config asks, in place and in this order, each on what the one before left:
 *
 * 1. `rewardClip`: r to [min, max];
 * 2. `lengthPenalty`: r − penalty, see `lengthPenalties`;
 * 3. `klInReward`: r − coefficient · Σₜ k(logπ(t) − logπ_ref(t)) over all response tokens, see `klOf`.
 *
 * So the clip bounds what the workflow gave, and neither penalty.
 *
 * @param groups   groups of one role.
 * @param rewards  `rewards[g][i]`, finite; changed.
 * @throws RllmError ESTIMATOR_INPUT when a token has no log-prob, or none of the reference policy.
 */
export function shapeRewards(
  groups: readonly TrajectoryGroup[],
  rewards: readonly Float64Array[],
  { rewardClip, lengthPenalty, klInReward }: AlgorithmConfig,
): void {
  const { min, max } = rewardClip;
  for (let g = 0; g < groups.length; g++) {
    const group = groups[g] as TrajectoryGroup;
    const own = rewards[g] as Float64Array;
    for (let i = 0; i < own.length; i++) {
      if (min !== null && (own[i] as number) < min) own[i] = min;
      if (max !== null && (own[i] as number) > max) own[i] = max;
    }
    if (lengthPenalty !== null) {
      const penalties = lengthPenalties(own, group.trajectories.map(responseTokens), lengthPenalty);
      for (let i = 0; i < own.length; i++) own[i] = (own[i] as number) - (penalties[i] as number);
    }
    if (klInReward.coefficient > 0) {
      for (let i = 0; i < own.length; i++) {
        const kl = trajectoryKl(group, i, klInReward.estimator);
        own[i] = (own[i] as number) - klInReward.coefficient * kl;
      }
    }
  }
}

/**
 * What each trajectory of a group loses for its length, in reward units, ≥ 0.
 *
 * - `soft_overlong` (DAPO): 0 up to maxTokens − buffer, then factor · (L − (maxTokens − buffer)) / buffer, at most factor.
 * - `linear` (prime-rl): factor · mean(r) · L / max L, with max L at least 1. Scaled by the group's mean reward, so that a group
 *   that solved nothing feels no pressure. prime-rl has a pass rate there, which is never negative: a mean below 0 counts as 0
 *   here, since it would reward length.
 *
 * | maxTokens 100, buffer 20, factor 1 | L = 80 | 90 | 100 | 150 |
 * | --- | --- | --- | --- | --- |
 * | here; DAPO's paper up to 100 tokens | 0 | 0.5 | 1 | 1 |
 *
 * @param rewards  shape [G].
 * @param lengths  sampled tokens, shape [G].
 * @see Yu et al. 2025 (DAPO), https://arxiv.org/abs/2503.14476
 */
export function lengthPenalties(
  rewards: ArrayLike<number>,
  lengths: readonly number[],
  penalty: LengthPenaltyConfig,
): readonly number[] {
  if (penalty.kind === 'soft_overlong') {
    const { maxTokens, buffer, factor } = penalty;
    return lengths.map(
      (length) => (factor * Math.min(Math.max(length - (maxTokens - buffer), 0), buffer)) / buffer,
    );
  }
  let sum = 0;
  for (let i = 0; i < rewards.length; i++) sum += rewards[i] as number;
  const scale = (penalty.factor * Math.max(0, sum / rewards.length)) / Math.max(1, ...lengths);
  return lengths.map((length) => scale * length);
}

/** Bounds of verl: what one token's k3 may be, and the log-ratio that it is computed of. */
const LARGEST_K3 = 10;
const LARGEST_EXPONENT = 20;

/**
 * Estimate of KL(π ‖ π_ref) from one token sampled by π, with d = logπ − logπ_ref: k1 = d, k2 = d²/2, k3 = exp(−d) − 1 + d; and
 * abs = |d|, verl's, which punishes any difference.
 *
 * k1 and k3 are unbiased, k2 and abs are not; only k1 can be negative. k3 is kept in [0, 10], its d in [−20, 20], as verl does, so
 * that one token cannot outweigh a batch.
 *
 * | d | k1 | k2 | k3 | abs |
 * | --- | --- | --- | --- | --- |
 * | ln 2 | 0.693147 | 0.240227 | 0.193147 | 0.693147 |
 * | −20 | −20 | 200 | 10 | 20 |
 *
 * @param d  of the token.
 * @see Schulman 2020, http://joschu.net/blog/kl-approx.html
 */
export function klOf(d: number, estimator: KlInRewardConfig['estimator']): number {
  if (estimator === 'k1') return d;
  if (estimator === 'k2') return (d * d) / 2;
  if (estimator === 'abs') return Math.abs(d);
  const bounded = Math.min(LARGEST_EXPONENT, Math.max(-LARGEST_EXPONENT, d));
  return Math.min(LARGEST_K3, Math.max(0, Math.expm1(-bounded) + bounded));
}

function trajectoryKl(group: TrajectoryGroup, i: number, estimator: KlInRewardConfig['estimator']): number {
  const { steps } = group.trajectories[i] as Trajectory;
  let kl = 0;
  steps.forEach((step, s) => {
    const { responseIds, logprobs, referenceLogprobs } = step;
    for (let t = 0; t < responseIds.length; t++) {
      const own = logprobs[t];
      const reference = referenceLogprobs?.[t];
      if (own === undefined || reference === undefined) {
        const lacks = own === undefined ? 'log-prob' : 'reference log-prob';
        throw estimatorInput('algorithm.klInReward', `has no ${lacks} for response token ${t}`, {
          group,
          i,
          s,
        });
      }
      kl += klOf(own - reference, estimator);
    }
  });
  return kl;
}
