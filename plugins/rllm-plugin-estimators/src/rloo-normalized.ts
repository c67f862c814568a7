import { type AdvantageBatch, AdvEstimator, calculateRlooAdvantages, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { refuseBatchOfOneTask } from './batch-of-one-task.js';
import { deviationOf, isUniformUpToNoise, meanOf } from './statistics.js';

export interface RlooNormalizedOptions {
  /** Whose std divides: that of all rewards of the group, or of all leave-one-out residuals of the role in the batch. */
  readonly scale: 'group' | 'batch';
  /** 0 divides the squares by n, as numpy; 1 by n − 1, as torch. */
  readonly ddof: 0 | 1;
  /** Added to the std. */
  readonly epsilon: number;
}

const DEFAULTS: RlooNormalizedOptions = { scale: 'group', ddof: 0, epsilon: 1e-6 };

const LEAVE_ONE_OUT_REFUSED =
  'a leave-one-out residual cannot be divided by a leave-one-out std: where the others agree it is 0, and 1, 0, 0, 0 gives 1000000; take "group" (std of the whole group) or "batch"';

export const rlooNormalizedOptions: z.ZodType<RlooNormalizedOptions> = z.strictObject({
  scale: z
    .enum(['group', 'batch'], {
      error: ({ input }) => (input === 'leave_one_out' ? LEAVE_ONE_OUT_REFUSED : undefined),
    })
    .default(DEFAULTS.scale)
    .describe(
      'Whose std divides: that of all rewards of the group, or of all residuals of the role in the batch.',
    ),
  ddof: z
    .literal([0, 1])
    .default(DEFAULTS.ddof)
    .describe('0 divides the squares by n, as numpy; 1 by n − 1, as torch.'),
  epsilon: z.number().min(0).default(DEFAULTS.epsilon).describe('Added to the std.'),
});

/**
 * Leave-one-out advantage, normalised: Aᵢ = (rᵢ − mean(rⱼ, j ≠ i)) / (s + ε), with s the std of the rewards of the whole group, or
 * of all residuals of the batch. Never the std of the others: where they agree it is 0.
 *
 * | | here | TRL RLOO | NeMo-RL |
 * | --- | --- | --- | --- |
 * | std | `group`, or `batch` over residuals; ddof 0, ε 1e-6 | `normalize_advantages`: over residuals, ddof 1, ε 1e-4 | of the others |
 * | 1, 0, 0, 0 by `group` | 2.309, −0.770 × 3 | – | 1000000, … |
 * | 0, 0.95 × 7 by `group` | −3.024, 0.432 × 7 | – | −2075, … from E[x²] − E[x]² |
 * | 1, 0 and 1, 1, 1, 0 by `batch`, ddof 1, ε 1e-4 | 1.225, −1.225; 0.408 × 3, −1.225 | the same | – |
 * | lone trajectory | r / (1 + ε) by `group`; its reward is its residual by `batch` | 0 | – |
 * | all rewards of a group equal | exactly 0 | 0 up to float noise | – |
 *
 * By `group` it is G/(G − 1) times GRPO. Residuals sum to 0 in each group and are not centred again. Where all residuals of the
 * batch are equal, up to float noise of 1e-12, only lone trajectories are left to scale, and s is taken as 1; where they differ
 * in earnest, however little, s is their std: lone 1, 1, 0.9999999 give a million. The collection overrides the lone trajectory
 * by `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape. Those of a group of two or more sum to 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see Ahmadian et al. 2024, https://arxiv.org/abs/2402.14740
 */
export function calculateRlooNormalizedAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: Partial<RlooNormalizedOptions> = {},
): Float64Array[] {
  const { scale, ddof, epsilon } = { ...DEFAULTS, ...options };
  const { advantages } = calculateRlooAdvantages(rewards);
  const ofBatch = scale === 'batch' ? stdOf(advantages, ddof) : 0;
  advantages.forEach((group, g) => {
    const std = scale === 'batch' ? ofBatch : stdOf([rewards[g] ?? []], ddof);
    for (let i = 0; i < group.length; i++) group[i] = (group[i] ?? Number.NaN) / (std + epsilon);
  });
  return advantages;
}

/** 1 where all are equal: what it divides is 0 then, or lone trajectories. */
function stdOf(groups: readonly ArrayLike<number>[], ddof: 0 | 1): number {
  return isUniformUpToNoise(groups) ? 1 : deviationOf(groups, meanOf(groups), ddof);
}

/** The estimator `rloo_normalized`. */
export const rlooNormalized: EstimateFunction<RlooNormalizedOptions> = AdvEstimator('rloo_normalized', {
  summary:
    '(r − mean of the others in the group) / (std + epsilon), std of the whole group, or of the residuals of the batch',
  paper: 'https://arxiv.org/abs/2402.14740',
  scope: 'batch',
  options: rlooNormalizedOptions,
  check: (plan) =>
    rlooNormalizedOptions.parse(plan.options).scale === 'batch'
      ? refuseBatchOfOneTask('scale: "batch"', plan)
      : [],
})(({ rewards, options }: AdvantageBatch<RlooNormalizedOptions>) => ({
  advantages: calculateRlooNormalizedAdvantages(rewards, options),
}));
