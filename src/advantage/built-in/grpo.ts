import { isUniform, meanOf, stdOf } from '../../statistics.js';
import type { EstimateFunction } from '../estimator.js';
import { copyGroups, type GroupAdvantages, type SingleGroupAdvantages } from '../group-rewards.js';
import { declareBuiltIn } from './declare-built-in.js';

declare module '../../config/names.js' {
  interface EstimatorOptionsMap {
    grpo: OptionsGiven<GrpoOptions>;
  }
}

export interface GrpoOptions {
  /** Divide by the group's std. `false` only centres, as Dr. GRPO does. */
  readonly normAdvByStdInGrpo?: boolean;
  /** Added to the std. */
  readonly epsilon?: number;
}

/**
 * Group-relative advantage: Aᵢ = (rᵢ − mean(r)) / (std(r) + ε), or Aᵢ = rᵢ − mean(r) without std.
 *
 * | | here | rLLM |
 * | --- | --- | --- |
 * | std | population (÷G), ε = 1e-6 added to it | the same |
 * | lone trajectory | r / (1 + ε), or r without std | the same |
 * | all rewards equal | exactly 0 | 0 up to float noise, 1e-11 and the like |
 * | mean | second pass corrects rounding | pairwise sum |
 *
 * The collection overrides the lone trajectory by `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape. Those of a group of two or more sum to 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see Shao et al. 2024 (DeepSeekMath), https://arxiv.org/abs/2402.03300; without std: Liu et al. 2025 (Dr. GRPO), https://arxiv.org/abs/2503.20783
 */
export function calculateGrpoAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: GrpoOptions = {},
): GroupAdvantages {
  const { normAdvByStdInGrpo = true, epsilon = 1e-6 } = options;
  const advantages = copyGroups(rewards);
  for (const group of advantages) relateToGroup(group, normAdvByStdInGrpo, epsilon);
  return { advantages, returns: advantages };
}

/** `calculateGrpoAdvantages` of a single group, shape [G]. */
export function calculateGrpoAdvantagesPerGroup(
  rewards: ArrayLike<number>,
  options: GrpoOptions = {},
): SingleGroupAdvantages {
  const advantages = calculateGrpoAdvantages([rewards], options).advantages[0] as Float64Array;
  return { advantages, returns: advantages };
}

function relateToGroup(group: Float64Array, byStd: boolean, epsilon: number): void {
  const n = group.length;
  if (n > 1 && isUniform(group)) {
    group.fill(0);
    return;
  }
  const mean = n > 1 ? meanOf(group) : 0;
  const std = n > 1 && byStd ? stdOf(group, mean) : 1;
  const scale = byStd ? std + epsilon : 1;
  // `+ 0` turns the −0 of a lone reward of −0 into 0.
  for (let i = 0; i < n; i++) group[i] = ((group[i] as number) - mean) / scale + 0;
}

/** The estimator `grpo`. Reads `algorithm.normAdvByStdInGrpo`. */
export const grpo: EstimateFunction = declareBuiltIn(
  'grpo',
  {
    summary:
      '(r − mean) / (std + 1e-6) within the group, population std; r − mean if normAdvByStdInGrpo is false',
    paper: 'https://arxiv.org/abs/2402.03300',
    scope: 'group',
  },
  ({ rewards, algorithm }) =>
    calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: algorithm.normAdvByStdInGrpo }),
);
