import { type AdvantageBatch, AdvEstimator, type EstimateFunction, type EstimatorPlan } from 'rllm-sdk';
import { z } from 'zod';
import { refuseBatchOfOneTask } from './batch-of-one-task.js';
import { calculateGrpoScaledAdvantages } from './grpo-scaled.js';
import { componentNames, componentRewards } from './reward-components.js';
import { deviationOf } from './statistics.js';

export interface GdpoOptions {
  /** Weight by component; components that it does not name are left out. `null` takes all that occur, each with weight 1. */
  readonly weights: Readonly<Record<string, number>> | null;
  /** 0 divides the squares by n, as numpy; 1 by n − 1, as torch. */
  readonly ddof: 0 | 1;
  /** Added to each std. */
  readonly epsilon: number;
}

const DEFAULTS: GdpoOptions = { weights: null, ddof: 0, epsilon: 1e-6 };

export const gdpoOptions: z.ZodType<GdpoOptions> = z.strictObject({
  weights: z
    .record(z.string(), z.number())
    .refine((weights) => Object.keys(weights).length > 0, 'name at least one component, or give null for all')
    .nullable()
    .default(DEFAULTS.weights)
    .describe(
      'Weight by component; those not named are left out. `null` takes all that occur, each with weight 1.',
    ),
  ddof: z
    .literal([0, 1])
    .default(DEFAULTS.ddof)
    .describe('0 divides the squares by n, as numpy; 1 by n − 1, as torch.'),
  epsilon: z.number().min(0).default(DEFAULTS.epsilon).describe('Added to each std.'),
});

/**
 * GDPO, several rewards at once: cₖᵢ = (rₖᵢ − mean(rₖ)) / (std(rₖ) + ε) within the group for each component k, then
 * sᵢ = Σₖ wₖ·cₖᵢ, then Aᵢ = sᵢ / (std(s) + ε) over all trajectories of the batch.
 *
 * Groups sum to 0, so the mean of s over the batch is 0 and is not taken off again. A component without spread in a group
 * adds nothing there: a format that is always right stops to matter, and does not drown what still differs.
 *
 * | | here, by default | TRL `normalize_then_sum` | verl | ms-swift |
 * | --- | --- | --- | --- | --- |
 * | ddof, ε | 0, 1e-6 | 1, 1e-4 | 1, 1e-6 | 1, 1e-8 |
 * | batch step | std over trajectories | mean and std over trajectories | whitened over tokens | mean and std over trajectories |
 * | correct 1, 0 and 1, 1; format 1, 1 and 0, 1 | 1, −1 and −1, 1 | 0.8659, −0.8659 and −0.8659, 0.8659 | by length | 0.866, −0.866 and −0.866, 0.866 |
 * | component without spread | exactly 0 | 0 | 0 | 0 |
 * | lone trajectory | 0 | 0 | its component leaks | 0 |
 * | a component missing | an error with its trajectory | left out | names come from the first sample only | 0 (once NaN for the batch) |
 *
 * The total reward does not enter, so a group with equal totals may have advantages, and a run that shapes it by
 * `rewardClip`, `lengthPenalty` or `klInReward` is refused. The collection overrides the lone
 * trajectory by `algorithm.loneTrajectory`.
 *
 * @param components  `components[k][g][i]`, finite; not modified.
 * @param weights     `weights[k]`, any sign.
 * @returns           fresh arrays `[g][i]`, without unit; each group sums to 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE; RangeError when the components differ in shape.
 * @see https://arxiv.org/abs/2601.05242
 */
export function calculateGdpoAdvantages(
  components: readonly (readonly ArrayLike<number>[])[],
  weights: readonly number[],
  options: Partial<Pick<GdpoOptions, 'ddof' | 'epsilon'>> = {},
): Float64Array[] {
  const { ddof, epsilon } = { ...DEFAULTS, ...options };
  const sums = (components[0] ?? []).map(({ length }) => new Float64Array(length));
  components.forEach((component, k) => {
    const normalised = calculateGrpoScaledAdvantages(component, { scale: 'group', ddof, epsilon });
    addWeighted(sums, normalised, weights[k] ?? 1);
  });
  if (sums.length === 0) return sums;
  const std = deviationOf(sums, 0, ddof);
  if (std === 0) return sums;
  for (const group of sums) {
    for (let i = 0; i < group.length; i++) group[i] = (group[i] ?? Number.NaN) / (std + epsilon);
  }
  return sums;
}

function addWeighted(sums: readonly Float64Array[], parts: readonly Float64Array[], weight: number): void {
  if (parts.length !== sums.length) {
    throw new RangeError(`a component has ${parts.length} groups, and the first has ${sums.length}`);
  }
  sums.forEach((sum, g) => {
    const part = parts[g];
    if (part?.length !== sum.length) {
      throw new RangeError(
        `group ${g} has ${sum.length} rewards of one component and ${part?.length} of another`,
      );
    }
    // A lone trajectory has nobody to be compared with, by any component.
    if (sum.length === 1) return;
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? Number.NaN) + weight * (part[i] ?? Number.NaN);
  });
}

/** What shapes the total reward would do nothing, without a word. */
function refuseShaping({
  algorithm: { rewardClip, lengthPenalty, klInReward },
}: EstimatorPlan): readonly string[] {
  const shaping = {
    rewardClip: rewardClip.min !== null || rewardClip.max !== null,
    lengthPenalty: lengthPenalty !== null,
    klInReward: klInReward.coefficient > 0,
  };
  return Object.entries(shaping).flatMap(([name, isGiven]) =>
    isGiven
      ? [`it reads the components of rewards, and algorithm.${name} changes their total alone: leave it out.`]
      : [],
  );
}

/** The estimator `gdpo`. */
export const gdpo: EstimateFunction<GdpoOptions> = AdvEstimator('gdpo', {
  summary:
    'each reward component by (r − mean) / (std + epsilon) of its group, weighted sum, / std of the batch',
  paper: 'https://arxiv.org/abs/2601.05242',
  scope: 'batch',
  requires: ['rewardComponents'],
  options: gdpoOptions,
  check: (plan) => [...refuseBatchOfOneTask('its last step', plan), ...refuseShaping(plan)],
})(({ groups, options }: AdvantageBatch<GdpoOptions>) => {
  if (groups.length === 0) return { advantages: [] };
  const { weights, ddof, epsilon } = { ...DEFAULTS, ...options };
  const weighted = weights ?? Object.fromEntries(componentNames(groups).map((name) => [name, 1]));
  const components = Object.keys(weighted).map((name) => componentRewards(groups, name));
  return { advantages: calculateGdpoAdvantages(components, Object.values(weighted), { ddof, epsilon }) };
});
