import { type AdvantageBatch, AdvEstimator, calculateGrpoAdvantages, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { refuseBatchOfOneTask } from './batch-of-one-task.js';
import { countOf, isUniform } from './statistics.js';

export interface GpgOptions {
  /** What α counts: rewards other than 0, or trajectories whose group has a spread. */
  readonly count: 'nonzero_rewards' | 'mixed_groups';
  /** Divides every advantage. */
  readonly fNorm: number;
}

const DEFAULTS: GpgOptions = { count: 'nonzero_rewards', fNorm: 1 };

export const gpgOptions: z.ZodType<GpgOptions> = z.strictObject({
  count: z
    .enum(['nonzero_rewards', 'mixed_groups'])
    .default(DEFAULTS.count)
    .describe('What alpha counts: rewards other than 0 (verl), or trajectories whose group has a spread.'),
  fNorm: z.number().positive().default(DEFAULTS.fNorm).describe('Divides every advantage.'),
});

/**
 * Group policy gradient: Aᵢ = α · (rᵢ − mean of its group) / f, with α = |B| / max(1, m) over the batch. m makes up for
 * trajectories without a gradient: verl takes the number of rewards other than 0; `mixed_groups` takes the number of
 * trajectories whose group has a spread, which is what stays when solved and unsolved groups both fall out.
 *
 * | | here | verl |
 * | --- | --- | --- |
 * | 1, 0, 0, 0 and 0, 0, 0, 0 | α = 8: 6, −2, −2, −2 and zeros | the same |
 * | the same, `mixed_groups` | α = 2: 1.5, −0.5, −0.5, −0.5 and zeros | – |
 * | 0.9, 0.1 | α = 1: 0.4, −0.4, since no reward is 0 | the same |
 * | its argument α | none: the batch decides | overwritten by the batch |
 * | lone trajectory | α · r / f | the same |
 * | all rewards of a group equal | exactly 0 | 0 up to float noise |
 *
 * With rewards that are never 0 the default is Dr. GRPO. The loss that goes with it is the plain −log π · A. The collection
 * overrides the lone trajectory by `algorithm.loneTrajectory`; under `zero` and `drop` it does not count into α either.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape. Those of a group of two or more sum to 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see Chu et al. 2025, https://arxiv.org/abs/2504.02546
 */
export function calculateGpgAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: Partial<GpgOptions> = {},
): Float64Array[] {
  const { count, fNorm } = { ...DEFAULTS, ...options };
  const { advantages } = calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: false });
  const counted = count === 'nonzero_rewards' ? nonzeroRewards(rewards) : inMixedGroups(rewards);
  const scale = countOf(rewards) / Math.max(1, counted) / fNorm;
  for (const group of advantages) {
    for (let i = 0; i < group.length; i++) group[i] = (group[i] ?? Number.NaN) * scale;
  }
  return advantages;
}

function nonzeroRewards(rewards: readonly ArrayLike<number>[]): number {
  let count = 0;
  for (const group of rewards) for (let i = 0; i < group.length; i++) if (group[i] !== 0) count++;
  return count;
}

function inMixedGroups(rewards: readonly ArrayLike<number>[]): number {
  // A lone trajectory has no baseline, so it has a gradient.
  return countOf(rewards.filter((group) => group.length === 1 || !isUniform([group])));
}

/** The estimator `gpg`. */
export const gpg: EstimateFunction<GpgOptions> = AdvEstimator('gpg', {
  summary: 'alpha · (r − mean of the group) / fNorm, alpha = trajectories of the batch / those that count',
  paper: 'https://arxiv.org/abs/2504.02546',
  scope: 'batch',
  options: gpgOptions,
  check: (plan) => refuseBatchOfOneTask('alpha', plan),
})(({ rewards, options }: AdvantageBatch<GpgOptions>) => ({
  advantages: calculateGpgAdvantages(rewards, options),
}));
