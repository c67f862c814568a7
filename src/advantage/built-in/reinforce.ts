import type { Ragged } from '../../ragged.js';
import type { EstimateFunction } from '../estimator.js';
import { copyRewards, type GroupAdvantages, groupAdvantages } from '../group-rewards.js';
import { declareBuiltIn } from './declare-built-in.js';

declare module '../../config/names.js' {
  interface EstimatorOptionsMap {
    reinforce: NoOptions;
  }
}

/**
 * REINFORCE without a baseline: Aᵢ = rᵢ.
 *
 * | | here | rLLM |
 * | --- | --- | --- |
 * | any group | the reward itself | the same |
 * | lone trajectory, all rewards equal | the reward itself | the same |
 * | arrays returned | fresh ones | the very arrays it was given |
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape, −0 turned into 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see Williams 1992, https://doi.org/10.1007/BF00992696
 */
export function calculateReinforceAdvantages(rewards: readonly ArrayLike<number>[]): GroupAdvantages {
  const table = copyRewards(rewards);
  dropSignOfZero(table);
  return groupAdvantages(table);
}

function dropSignOfZero({ flat }: Ragged): void {
  for (let i = 0; i < flat.length; i++) flat[i] = (flat[i] as number) + 0;
}

/** The estimator `reinforce`. */
export const reinforce: EstimateFunction = declareBuiltIn(
  'reinforce',
  { summary: 'r, no baseline', paper: 'https://doi.org/10.1007/BF00992696', scope: 'group' },
  dropSignOfZero,
);
