import { AdvEstimator, calculateGrpoAdvantages, type EstimateFunction } from 'rllm-sdk';

/**
 * Dr. GRPO: Aᵢ = rᵢ − mean(r) within the group, without a division by the std, which gives easy and hard tasks more weight
 * than those between.
 *
 * | | here | rLLM, verl, SkyRL | TRL, OpenRLHF, slime | prime-rl, tinker-cookbook, verifiers |
 * | --- | --- | --- | --- | --- |
 * | called | `dr_grpo` | `grpo` with its std flag off | `scale_rewards="none"`, `dr_grpo`, a flag | `grpo`, or the default |
 * | 1, 0, 0, 0 | 0.75, −0.25 × 3 | the same | the same | the same |
 * | lone trajectory | its reward | its reward | 0; refused; 0 | 0 |
 * | all rewards equal | exactly 0 | 0 up to float noise | 0 up to float noise | 0 up to float noise |
 *
 * It is half of the paper: the other half is a loss that divides by a constant where GRPO divides by each trajectory's length.
 * The collection overrides the lone trajectory by `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape, in reward units. Those of a group of two or more sum to 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see Liu et al. 2025, https://arxiv.org/abs/2503.20783
 */
export function calculateDrGrpoAdvantages(rewards: readonly ArrayLike<number>[]): Float64Array[] {
  return calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: false }).advantages;
}

/** The estimator `dr_grpo`. */
export const drGrpo: EstimateFunction = AdvEstimator('dr_grpo', {
  summary: 'r − mean within the group, no std',
  paper: 'https://arxiv.org/abs/2503.20783',
  scope: 'group',
})(({ rewards }) => ({ advantages: calculateDrGrpoAdvantages(rewards) }));
