import {
  type AdvantageBatch,
  AdvEstimator,
  calculateReinforceAdvantages,
  type EstimateFunction,
  type EstimatorPlan,
} from 'rllm-sdk';
import { z } from 'zod';
import { deviationOf, meanOf } from './statistics.js';

export interface GrpoPasskOptions {
  /** `group` divides by the group's std. */
  readonly scale: 'group' | 'none';
  /** 0 divides the squares by n, as numpy; 1 by n − 1, as torch and verl. */
  readonly ddof: 0 | 1;
  /** Added to the std. */
  readonly epsilon: number;
}

const DEFAULTS: GrpoPasskOptions = { scale: 'none', ddof: 1, epsilon: 1e-6 };

export const grpoPasskOptions: z.ZodType<GrpoPasskOptions> = z.strictObject({
  scale: z
    .enum(['group', 'none'])
    .default(DEFAULTS.scale)
    .describe('`group` divides by the std of the group.'),
  ddof: z
    .literal([0, 1])
    .default(DEFAULTS.ddof)
    .describe('0 divides the squares by n, as numpy; 1 by n − 1, as torch and verl.'),
  epsilon: z.number().min(0).default(DEFAULTS.epsilon).describe('Added to the std.'),
});

/**
 * Pass@k by the best rollout alone: A of the best is r₍₁₎ − r₍₂₎, what the group would lose without it; every other A is 0.
 * Two that share the first place leave nothing to lose: all 0. With `scale: "group"` the difference is divided by std + ε.
 *
 * Summed over the group its expectation is the gradient of E[max r], of pass@G where rewards are 0 and 1. Of the expected
 * reward it is a biased estimate: a task that is mostly solved gets almost none.
 *
 * | | here | verl |
 * | --- | --- | --- |
 * | 1, 0.5, 0.2, 0 | 0.5, 0, 0, 0 | the same with its std flag off |
 * | the same, scaled | 1.150, 0, 0, 0: ddof 1, ε 1e-6 | the same; it is its default |
 * | 1, 1, 0, 0 | zeros | zeros |
 * | one rollout per task | refused at start | an error in the first step |
 * | a lone trajectory, when others of its group fell out | 0: there is no second best | an error |
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @returns        fresh arrays of the same shape, in reward units unless scaled; all ≥ 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see https://arxiv.org/abs/2503.19595
 */
export function calculateGrpoPasskAdvantages(
  rewards: readonly ArrayLike<number>[],
  options: Partial<GrpoPasskOptions> = {},
): Float64Array[] {
  const { scale, ddof, epsilon } = { ...DEFAULTS, ...options };
  const { advantages } = calculateReinforceAdvantages(rewards);
  for (const group of advantages) {
    const { best, lead } = leaderOf(group);
    const std = scale === 'group' && lead > 0 ? deviationOf([group], meanOf([group]), ddof) + epsilon : 1;
    group.fill(0);
    if (lead > 0) group[best] = lead / std;
  }
  return advantages;
}

/** Index of the largest reward, and how far it is before the second; 0 for a shared first place and for a lone reward. */
function leaderOf(group: Float64Array): { readonly best: number; readonly lead: number } {
  let best = 0;
  let first = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  group.forEach((reward, i) => {
    if (reward > first) {
      second = first;
      first = reward;
      best = i;
    } else if (reward > second) {
      second = reward;
    }
  });
  return { best, lead: group.length > 1 ? first - second : 0 };
}

function refuseOneRollout({ rollouts }: EstimatorPlan): readonly string[] {
  if (rollouts > 1) return [];
  return [
    `it credits the best rollout of a task with its lead over the second, and there is ${rollouts} rollout per task: set rollout.n to 2 or more.`,
  ];
}

/** The estimator `grpo_passk`. */
export const grpoPassk: EstimateFunction<GrpoPasskOptions> = AdvEstimator('grpo_passk', {
  summary: 'best of the group: r − second best, optionally / (std + epsilon); 0 for the others and for a tie',
  paper: 'https://arxiv.org/abs/2503.19595',
  scope: 'group',
  options: grpoPasskOptions,
  check: refuseOneRollout,
})(({ rewards, options }: AdvantageBatch<GrpoPasskOptions>) => ({
  advantages: calculateGrpoPasskAdvantages(rewards, options),
}));
