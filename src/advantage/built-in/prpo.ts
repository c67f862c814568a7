import type { Ragged } from '../../ragged.js';
import { isUniform, meanOf, stdOf } from '../../statistics.js';
import type { EstimateFunction } from '../estimator.js';
import { copyRewards, type GroupAdvantages, groupAdvantages } from '../group-rewards.js';
import { needsSeveralTasks } from './batch-statistics.js';
import { declareBuiltIn } from './declare-built-in.js';

declare module '../../config/names.js' {
  interface EstimatorOptionsMap {
    prpo: NoOptions;
  }
}

export interface PrpoOptions {
  /** Added to the std. */
  readonly epsilon?: number;
}

/**
 * rLLM's PRPO: Aᵢ = (rᵢ − mean(r)) / (std(r) + ε), with mean and std over all trajectories of the role in the batch. So groups
 * do not matter, and a group of one is as good as any other.
 *
 * | | here | rLLM |
 * | --- | --- | --- |
 * | std | population (÷N), ε = 1e-6 added to it | the same |
 * | [1, 1] and [0, 0] | [1, 1] and [−1, −1], up to ε | the same; all 0 in its async trainer, which sees one task at a time |
 * | all rewards of the batch equal, one trajectory in all | exactly 0 | 0 up to float noise |
 *
 * A group with equal rewards is no exception here: its advantages are 0 only if the whole batch is uniform. The collection
 * overrides the lone trajectory by `algorithm.loneTrajectory`. "Process Relative Policy Optimization" (arXiv:2601.07182) is
 * another method of the same name.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape, which sum to 0; none for no groups.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see the estimator `prpo` of rLLM, https://github.com/rllm-org/rllm
 */
export function calculatePrpoAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: PrpoOptions = {},
): GroupAdvantages {
  const table = copyRewards(rewards);
  whiten(table, options);
  return groupAdvantages(table);
}

function whiten({ flat }: Ragged, { epsilon = 1e-6 }: PrpoOptions): void {
  if (isUniform(flat)) {
    flat.fill(0);
    return;
  }
  const mean = meanOf(flat);
  const scale = stdOf(flat, mean) + epsilon;
  for (let i = 0; i < flat.length; i++) flat[i] = ((flat[i] as number) - mean) / scale;
}

/** The estimator `prpo`. */
export const prpo: EstimateFunction = declareBuiltIn(
  'prpo',
  {
    summary:
      '(r − mean) / (std + 1e-6), mean and population std over all trajectories of the role in the batch',
    paper: 'https://github.com/rllm-org/rllm',
    scope: 'batch',
    check: needsSeveralTasks,
  },
  (table) => whiten(table, {}),
);
