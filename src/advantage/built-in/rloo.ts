import type { Ragged } from '../../ragged.js';
import { isUniform, meanOf } from '../../statistics.js';
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
    rloo: NoOptions;
  }
}

/**
 * Leave-one-out advantage of each trajectory of each group: Aᵢ = rᵢ − mean(rⱼ, j ≠ i), computed as G/(G − 1) · (rᵢ − mean(r)).
 *
 * | | here | rLLM |
 * | --- | --- | --- |
 * | std | none: a leave-one-out residual over a leave-one-out std explodes | the same |
 * | lone trajectory | its reward | the same |
 * | all rewards equal | exactly 0 | 0 up to float noise |
 *
 * The collection overrides the lone trajectory by `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape, in reward units. Those of a group of two or more sum to 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see Ahmadian et al. 2024, https://arxiv.org/abs/2402.14740
 */
export function calculateRlooAdvantages(rewards: readonly ArrayLike<number>[]): GroupAdvantages {
  const table = copyRewards(rewards);
  leaveOneOut(table);
  return groupAdvantages(table);
}

/** `calculateRlooAdvantages` of a single group, shape [G]. */
export function calculateRlooAdvantagesPerGroup(rewards: ArrayLike<number>): SingleGroupAdvantages {
  const advantages = calculateRlooAdvantages([rewards]).advantages[0] as Float64Array;
  return { advantages, returns: advantages };
}

function leaveOneOut({ flat, starts, length }: Ragged): void {
  for (let g = 0; g < length; g++) {
    const from = starts[g] as number;
    const to = starts[g + 1] as number;
    const n = to - from;
    if (n > 1 && isUniform(flat, from, to)) {
      flat.fill(0, from, to);
      continue;
    }
    const mean = n > 1 ? meanOf(flat, from, to) : 0;
    const scale = n > 1 ? n / (n - 1) : 1;
    // `+ 0` turns the −0 of a lone reward of −0 into 0.
    for (let i = from; i < to; i++) flat[i] = scale * ((flat[i] as number) - mean) + 0;
  }
}

/** The estimator `rloo`. */
export const rloo: EstimateFunction = declareBuiltIn(
  'rloo',
  {
    summary: 'r − mean of the others in the group',
    paper: 'https://arxiv.org/abs/2402.14740',
    scope: 'group',
  },
  leaveOneOut,
);
