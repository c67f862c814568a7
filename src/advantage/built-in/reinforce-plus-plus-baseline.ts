import type { Ragged } from '../../ragged.js';
import { isUniform, isUniformUpToNoise, meanOf, stdOf } from '../../statistics.js';
import type { EstimateFunction } from '../estimator.js';
import { copyRewards, type GroupAdvantages, groupAdvantages } from '../group-rewards.js';
import { needsSeveralTasks } from './batch-statistics.js';
import { declareBuiltIn } from './declare-built-in.js';

declare module '../../config/names.js' {
  interface EstimatorOptionsMap {
    reinforce_plus_plus_baseline: NoOptions;
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
 * | every c of the batch equal, up to float noise of 1e-12 | A = c / (1 + ε), as GRPO treats a lone trajectory | c / ε, which is 0 there |
 *
 * The last row arises only from lone trajectories with equal rewards, where c / ε would be a million times the reward. Lone
 * rewards that differ in earnest, however little, go by the formula: 1, 1, 0.9999999 give a million.
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
  const table = copyRewards(rewards);
  whitenCentred(table, options);
  return groupAdvantages(table);
}

function whitenCentred(table: Ragged, { epsilon = 1e-6 }: ReinforcePlusPlusBaselineOptions): void {
  if (table.length === 0) return;
  subtractMeans(table);
  const { flat } = table;
  const std = isUniformUpToNoise(flat) ? 1 : stdOf(flat);
  // `+ 0` turns the −0 of a lone reward of −0 into 0.
  for (let i = 0; i < flat.length; i++) flat[i] = (flat[i] as number) / (std + epsilon) + 0;
}

function subtractMeans({ flat, starts, length }: Ragged): void {
  for (let g = 0; g < length; g++) {
    const from = starts[g] as number;
    const to = starts[g + 1] as number;
    if (to - from === 1) continue;
    if (isUniform(flat, from, to)) {
      flat.fill(0, from, to);
      continue;
    }
    const mean = meanOf(flat, from, to);
    for (let i = from; i < to; i++) flat[i] = (flat[i] as number) - mean;
  }
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
  (table) => whitenCentred(table, {}),
);
