import { isUniform, meanOf, stdOf } from '../../statistics.js';
import type { EstimateFunction } from '../estimator.js';
import { copyGroups, type GroupAdvantages } from '../group-rewards.js';
import { needsSeveralTasks } from './batch-statistics.js';
import { declareBuiltIn } from './declare-built-in.js';

declare module '../../config/names.js' {
  interface EstimatorOptionsMap {
    reinforce_plus_plus_baseline: OptionsGiven<ReinforcePlusPlusBaselineOptions>;
  }
}

export interface ReinforcePlusPlusBaselineOptions {
  /** Added to the std. */
  readonly epsilon?: number;
}

/**
 * REINFORCE++ with a group baseline: cᵢ = rᵢ − mean of its group, then Aᵢ = cᵢ / (std(c) + ε) with the std over all
 * trajectories of the role in the batch. So groups influence each other.
 *
 * | | here | rLLM |
 * | --- | --- | --- |
 * | population of the std | trajectories, population std (÷N), ε = 1e-6 added | the same; verl and others weigh by tokens |
 * | lone trajectory | no baseline, c = r: its documentation | its code gives c = 0, its documentation c = r |
 * | a group with equal rewards | exactly 0 | 0 up to float noise |
 * | every c of the batch equal | A = c / (1 + ε), as GRPO treats a lone trajectory | c / ε, which is 0 there |
 *
 * The last row arises only from lone trajectories with equal rewards, where c / ε would be a million times the reward.
 * The collection overrides the lone trajectory by `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape; none for no groups.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see Hu et al. 2025, https://arxiv.org/abs/2501.03262
 */
export function calculateReinforcePlusPlusBaselineAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: ReinforcePlusPlusBaselineOptions = {},
): GroupAdvantages {
  const { epsilon = 1e-6 } = options;
  const advantages = copyGroups(rewards);
  for (const group of advantages) subtractMean(group);
  if (advantages.length > 0) {
    const all = new Float64Array((advantages[0] as Float64Array<ArrayBuffer>).buffer);
    const std = isUniform(all) ? 1 : stdOf(all);
    // `+ 0` turns the −0 of a lone reward of −0 into 0.
    for (let i = 0; i < all.length; i++) all[i] = (all[i] as number) / (std + epsilon) + 0;
  }
  return { advantages, returns: advantages };
}

function subtractMean(group: Float64Array): void {
  if (group.length === 1) return;
  if (isUniform(group)) {
    group.fill(0);
    return;
  }
  const mean = meanOf(group);
  for (let i = 0; i < group.length; i++) group[i] = (group[i] as number) - mean;
}

/** The estimator `reinforce_plus_plus_baseline`. */
export const reinforcePlusPlusBaseline: EstimateFunction = declareBuiltIn(
  'reinforce_plus_plus_baseline',
  {
    summary:
      '(r − mean of the group) / (std + 1e-6), population std over all groups of the role in the batch',
    paper: 'https://arxiv.org/abs/2501.03262',
    scope: 'batch',
    check: needsSeveralTasks,
  },
  ({ rewards }) => calculateReinforcePlusPlusBaselineAdvantages(rewards),
);
