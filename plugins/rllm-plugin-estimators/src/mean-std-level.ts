import {
  type AdvantageBatch,
  AdvEstimator,
  calculateReinforceAdvantages,
  type EstimateFunction,
  type EstimatorPlan,
} from 'rllm-sdk';
import { z } from 'zod';
import { refuseBatchOfOneTask } from './batch-of-one-task.js';
import { countOf, deviationOf, isUniform, meanOf } from './statistics.js';

type Level = 'batch' | 'group' | 'none';

export interface MeanStdLevelOptions {
  /** Whose mean is taken off. */
  readonly meanLevel: Level;
  /** Whose std divides. */
  readonly stdLevel: Level;
  /** The mean of the others instead of the mean. */
  readonly leaveOneOut: boolean;
  /** Divide the squares by n − 1, as torch; else by n. */
  readonly unbiased: boolean;
  /** Added to the std. */
  readonly epsilon: number;
}

const DEFAULTS: MeanStdLevelOptions = {
  meanLevel: 'batch',
  stdLevel: 'batch',
  leaveOneOut: false,
  unbiased: true,
  epsilon: 1e-5,
};

const level = z.enum(['batch', 'group', 'none']);

export const meanStdLevelOptions: z.ZodType<MeanStdLevelOptions> = z
  .strictObject({
    meanLevel: level.default(DEFAULTS.meanLevel).describe('Whose mean is taken off.'),
    stdLevel: level.default(DEFAULTS.stdLevel).describe('Whose std divides.'),
    leaveOneOut: z
      .boolean()
      .default(DEFAULTS.leaveOneOut)
      .describe('The mean of the others instead of the mean.'),
    unbiased: z
      .boolean()
      .default(DEFAULTS.unbiased)
      .describe('Divide the squares by n − 1, as torch; else by n.'),
    epsilon: z.number().min(0).default(DEFAULTS.epsilon).describe('Added to the std.'),
  })
  .refine(({ leaveOneOut, meanLevel }) => !leaveOneOut || meanLevel !== 'none', {
    path: ['leaveOneOut'],
    error: 'there is no mean to leave a trajectory out of: set meanLevel to "batch" or "group"',
  });

/**
 * Mean and std each of a level of its own: cᵢ = rᵢ − m, Aᵢ = cᵢ / (s + ε). m is the mean of the batch, of the group, or 0; with
 * `leaveOneOut` the mean of the others there. s is √(Σ c² / n) over the batch or the group, n − 1 if `unbiased`; with stdLevel
 * `none`, A = c.
 *
 * As s is taken about m and not about a mean of its own, it is the root mean square of the rewards where m is 0.
 *
 * | | here | AReaL |
 * | --- | --- | --- |
 * | default | `batch`, `batch`, `unbiased`, ε 1e-5 | the same |
 * | group, group: 1, 0, 0, 0 | 1.49997, −0.49999 × 3 | the same |
 * | group, none: 1, 0, 0, 0 | 0.75, −0.25 × 3 | the same |
 * | batch, batch: 1, 1 and 0, 0 | 0.866 × 2, −0.866 × 2 | the same |
 * | group leave-one-out, none: 1, 0, 0, 0 | 1, −1/3 × 3 | the same |
 * | group leave-one-out, group | as without: its factor G/(G − 1) is in c and in s | the same |
 * | equal rewards in a group | 0 if meanLevel is `group`; else compared with the batch, or with 0 | the same up to float noise |
 * | lone trajectory, group level | m = r, so 0; leave-one-out: m = 0; s = 1 if `unbiased` | the same |
 * | groups of unequal sizes | each by its own size | left-over rows get m = 0 and s = 0, so r / ε |
 * | leave-one-out without a mean | refused at start | ignored |
 *
 * The collection overrides the lone trajectory by `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape. They sum to 0 in each group, or in the batch, as meanLevel says.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see AReaL, https://arxiv.org/abs/2505.24298
 */
export function calculateMeanStdLevelAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: Partial<MeanStdLevelOptions> = {},
): Float64Array[] {
  const { meanLevel, stdLevel, leaveOneOut, unbiased, epsilon } = { ...DEFAULTS, ...options };
  const { advantages } = calculateReinforceAdvantages(rewards);
  for (const groups of atLevel(advantages, meanLevel)) takeOffMean(groups, leaveOneOut);
  for (const groups of atLevel(advantages, stdLevel)) divideByStd(groups, unbiased ? 1 : 0, epsilon);
  return advantages;
}

/** The lists of groups over which a level takes its statistics. */
function atLevel(groups: readonly Float64Array[], level: Level): readonly (readonly Float64Array[])[] {
  if (level === 'none' || groups.length === 0) return [];
  return level === 'batch' ? [groups] : groups.map((group) => [group]);
}

function takeOffMean(groups: readonly Float64Array[], leaveOneOut: boolean): void {
  const count = countOf(groups);
  if (leaveOneOut && count === 1) return;
  if (isUniform(groups)) {
    for (const group of groups) group.fill(0);
    return;
  }
  const mean = meanOf(groups);
  const factor = leaveOneOut ? count / (count - 1) : 1;
  for (const group of groups) {
    for (let i = 0; i < group.length; i++) group[i] = factor * ((group[i] ?? Number.NaN) - mean);
  }
}

function divideByStd(groups: readonly Float64Array[], ddof: 0 | 1, epsilon: number): void {
  const std = countOf(groups) > ddof ? deviationOf(groups, 0, ddof) : 1;
  if (std === 0) return;
  for (const group of groups) {
    for (let i = 0; i < group.length; i++) group[i] = (group[i] ?? Number.NaN) / (std + epsilon);
  }
}

function refuseLevels(plan: EstimatorPlan): readonly string[] {
  const { meanLevel, stdLevel } = meanStdLevelOptions.parse(plan.options);
  return [
    ...(meanLevel === 'batch' ? refuseBatchOfOneTask('meanLevel: "batch"', plan) : []),
    ...(stdLevel === 'batch' ? refuseBatchOfOneTask('stdLevel: "batch"', plan) : []),
  ];
}

/** The estimator `mean_std_level`. */
export const meanStdLevel: EstimateFunction<MeanStdLevelOptions> = AdvEstimator('mean_std_level', {
  summary: '(r − mean) / (std + epsilon), mean and std each of the batch, of the group, or left out',
  paper: 'https://arxiv.org/abs/2505.24298',
  scope: 'batch',
  options: meanStdLevelOptions,
  check: refuseLevels,
})(({ rewards, options }: AdvantageBatch<MeanStdLevelOptions>) => ({
  advantages: calculateMeanStdLevelAdvantages(rewards, options),
}));
