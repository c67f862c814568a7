import { type AdvantageBatch, AdvEstimator, calculateGrpoAdvantages, type EstimateFunction } from 'rllm-sdk';
import { z } from 'zod';
import { refuseBatchOfOneTask } from './batch-of-one-task.js';
import { deviationOf, isUniformUpToNoise, meanOf } from './statistics.js';

export interface GrpoScaledOptions {
  /** Whose std divides: the group's, that of all rewards of the role in the batch, or none. */
  readonly scale: 'group' | 'batch' | 'none';
  /** 0 divides the squares by n, as numpy; 1 by n − 1, as torch. */
  readonly ddof: 0 | 1;
  /** Added to the std. */
  readonly epsilon: number;
}

const DEFAULTS: GrpoScaledOptions = { scale: 'group', ddof: 0, epsilon: 1e-6 };

export const grpoScaledOptions: z.ZodType<GrpoScaledOptions> = z.strictObject({
  scale: z
    .enum(['group', 'batch', 'none'])
    .default(DEFAULTS.scale)
    .describe("Whose std divides: the group's, that of all rewards of the role in the batch, or none."),
  ddof: z
    .literal([0, 1])
    .default(DEFAULTS.ddof)
    .describe('0 divides the squares by n, as numpy; 1 by n − 1, as torch.'),
  epsilon: z.number().min(0).default(DEFAULTS.epsilon).describe('Added to the std.'),
});

/**
 * GRPO with a choice of scale: Aᵢ = (rᵢ − mean(r)) / (s + ε). The mean is the group's. s is the std of the group's rewards, or
 * of the raw rewards of the whole batch, or the division is left out.
 *
 * | | here, by default | rLLM | verl, SkyRL | TRL | OpenRLHF |
 * | --- | --- | --- | --- | --- | --- |
 * | ddof, ε | 0, 1e-6 | 0, 1e-6 | 1, 1e-6 | 1, 1e-4 (its async trainer: 0, 1e-8) | 1, 1e-9 |
 * | `group`: 1, 0, 0, 0 | 1.7320, −0.5773 × 3 | the same | 1.5000, −0.5000 × 3 | 1.4997, −0.4999 × 3 | 1.5, −0.5 × 3 |
 * | `batch`: 1, 0 and 1, 1, 1, 0, ddof 1, ε 1e-4 | 0.968, −0.968; 0.484 × 3, −1.452 | – | – | the same | – |
 * | `none`: 1, 0, 0, 0 | 0.75, −0.25 × 3 | the same | the same | the same | the same |
 * | lone trajectory | r / (1 + ε) by `group`; r / (s + ε) by `batch`; r by `none` | r / (1 + ε) | r / (1 + ε) | 0 | refused |
 *
 * ddof 1 gives √((G − 1)/G) times what ddof 0 gives: 71 % for groups of two, 94 % for groups of eight.
 * A group of two or more with equal rewards gives exactly 0 under every scale. Where all rewards of the batch are equal, up to
 * float noise of 1e-12, only lone trajectories are left to scale, and s is taken as 1; where they differ in earnest, however
 * little, s is their std: lone 1, 1, 0.9999999 give a million. The collection overrides the lone trajectory by
 * `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape. Those of a group of two or more sum to 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see Shao et al. 2024, https://arxiv.org/abs/2402.03300; by batch: https://arxiv.org/abs/2508.08221
 */
export function calculateGrpoScaledAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: Partial<GrpoScaledOptions> = {},
): Float64Array[] {
  const { scale, ddof, epsilon } = { ...DEFAULTS, ...options };
  const { advantages } = calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: false });
  if (scale === 'none') return advantages;
  const ofBatch = scale === 'batch' ? batchStd(rewards, ddof) : 0;
  for (const group of advantages) {
    // They are centred, so the group's std is their deviation from 0.
    const std = scale === 'batch' ? ofBatch : group.length === 1 ? 1 : deviationOf([group], 0, ddof);
    if (std === 0) continue;
    for (let i = 0; i < group.length; i++) group[i] = (group[i] ?? Number.NaN) / (std + epsilon);
  }
  return advantages;
}

function batchStd(rewards: readonly ArrayLike<number>[], ddof: 0 | 1): number {
  return isUniformUpToNoise(rewards) ? 1 : deviationOf(rewards, meanOf(rewards), ddof);
}

/** The estimator `grpo_scaled`. */
export const grpoScaled: EstimateFunction<GrpoScaledOptions> = AdvEstimator('grpo_scaled', {
  summary:
    '(r − mean of the group) / (std + epsilon), std of the group or of the batch, with ddof 0 or 1, or none',
  paper: 'https://arxiv.org/abs/2508.08221',
  scope: 'batch',
  options: grpoScaledOptions,
  check: (plan) =>
    grpoScaledOptions.parse(plan.options).scale === 'batch'
      ? refuseBatchOfOneTask('scale: "batch"', plan)
      : [],
})(({ rewards, options }: AdvantageBatch<GrpoScaledOptions>) => ({
  advantages: calculateGrpoScaledAdvantages(rewards, options),
}));
