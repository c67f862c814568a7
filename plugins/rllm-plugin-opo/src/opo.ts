/**
 * Advantage against the baseline of least variance for an exactly on-policy gradient: Aᵢ = rᵢ − Σⱼ(Lⱼ·rⱼ) / Σⱼ Lⱼ.
 *
 * The baseline weighs each reward with its length, because the squared norm of a trajectory's gradient grows with the number
 * of its tokens. There is no division by std.
 *
 * Edge cases: a lone trajectory keeps its reward (the SDK's `algorithm.loneTrajectory` decides further); rewards that are all
 * equal give exactly 0; lengths that are all 0 give the plain mean.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @param lengths  `lengths[g][i]`, sampled tokens of each trajectory, ≥ 0; same shape.
 * @returns        fresh arrays of the same shape, in reward units. Their length-weighted sum is 0 in every group of two or more.
 * @throws RangeError when a group has another number of lengths than of rewards.
 * @see Hao et al. 2025, On-Policy RL with Optimal Reward Baseline, https://arxiv.org/abs/2505.23585
 */
export function calculateOpoAdvantages(
  rewards: readonly ArrayLike<number>[],
  lengths: readonly ArrayLike<number>[],
): Float64Array[] {
  return rewards.map((group, g) => {
    const groupLengths = lengths[g];
    if (groupLengths?.length !== group.length) {
      throw new RangeError(`group ${g} has ${group.length} rewards and ${groupLengths?.length ?? 0} lengths`);
    }
    return relateToBaseline(Float64Array.from(group), Float64Array.from(groupLengths));
  });
}

function relateToBaseline(rewards: Float64Array, lengths: Float64Array): Float64Array {
  if (rewards.length < 2) return rewards;
  if (rewards.every((reward) => reward === rewards[0])) return rewards.fill(0);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const weight = (i: number): number => (total > 0 ? (lengths[i] ?? 0) / total : 1 / rewards.length);
  const baseline = rewards.reduce((sum, reward, i) => sum + weight(i) * reward, 0);
  return rewards.map((reward) => reward - baseline);
}
