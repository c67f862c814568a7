/** How step rewards are shaped; the fields of `workflow` in the config. */
export interface RewardShaping {
  /** Discount γ of the returns that replace step rewards; 0 leaves them. */
  readonly gamma: number;
  /** c of the bonus c·(rᵢ − rᵢ₋₁). */
  readonly rewardBonusCoeff: number;
}

/**
 * Shaped rewards of the steps of one trajectory: first the bonus sᵢ = rᵢ + c·(rᵢ − rᵢ₋₁) for i ≥ 1 with raw rewards r, then, if
 * γ > 0, the discounted return Gᵢ = sᵢ + γ·Gᵢ₊₁.
 *
 * @param rewards  raw step rewards, shape [S]; not modified.
 * @returns        shape [S]. Fewer than two steps are left as they are, as in rLLM.
 */
export function shapeStepRewards(rewards: readonly number[], shaping: RewardShaping): readonly number[] {
  const { gamma, rewardBonusCoeff } = shaping;
  if (rewards.length < 2 || (gamma === 0 && rewardBonusCoeff === 0)) return rewards;
  const shaped = rewards.map((reward, i) => {
    const before = rewards[i - 1];
    return before === undefined ? reward : reward + rewardBonusCoeff * (reward - before);
  });
  if (gamma === 0) return shaped;
  for (let i = shaped.length - 2; i >= 0; i--) {
    shaped[i] = (shaped[i] ?? 0) + gamma * (shaped[i + 1] ?? 0);
  }
  return shaped;
}
