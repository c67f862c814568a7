import type { Ragged } from '../../ragged.js';
import { isUniform, meanOf, stdOf } from '../../statistics.js';
import type { EstimateFunction } from '../estimator.js';
import {
  copyRewards,
  type GroupAdvantages,
  groupAdvantages,
  type SingleGroupAdvantages,
} from '../group-rewards.js';
import { declareBuiltIn } from './declare-built-in.js';

declare module '../../config/names.js' {
  interface EstimatorOptionsMap {
    grpo: NoOptions;
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
  const table = copyRewards(rewards);
  relateToGroups(table, options);
  return groupAdvantages(table);
}

/** `calculateGrpoAdvantages` of a single group, shape [G]. */
export function calculateGrpoAdvantagesPerGroup(
  rewards: ArrayLike<number>,
  options: GrpoOptions = {},
): SingleGroupAdvantages {
  const advantages = calculateGrpoAdvantages([rewards], options).advantages[0] as Float64Array;
  return { advantages, returns: advantages };
}

function relateToGroups({ flat, starts, length }: Ragged, options: GrpoOptions): void {
  const { normAdvByStdInGrpo: byStd = true, epsilon = 1e-6 } = options;
  for (let g = 0; g < length; g++) {
    const from = starts[g] as number;
    const to = starts[g + 1] as number;
    const isLone = to - from === 1;
    if (!isLone && isUniform(flat, from, to)) {
      flat.fill(0, from, to);
      continue;
    }
    const mean = isLone ? 0 : meanOf(flat, from, to);
    const std = isLone || !byStd ? 1 : stdOf(flat, mean, from, to);
    const scale = byStd ? std + epsilon : 1;
    // `+ 0` turns the −0 of a lone reward of −0 into 0.
    for (let i = from; i < to; i++) flat[i] = ((flat[i] as number) - mean) / scale + 0;
  }
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
  (table, { algorithm: { normAdvByStdInGrpo } }) => relateToGroups(table, { normAdvByStdInGrpo }),
);
