import { type AdvantageBatch, type AdvantageEstimates, AdvEstimator } from 'rllm-sdk';
import { z } from 'zod';
import { cutLike, relateWithin } from './relate-within.js';
import { spreadOverTokens } from './spread-over-tokens.js';
import { anchorsOf } from './step-clusters.js';
import { finiteValues, gamma, stepValues } from './step-value.js';

export interface StepGroupOptions {
  /** Divide by the std of the cluster, population, ε = 1e-6 added. */
  readonly normByStd?: boolean;
}

/**
 * Advantage of each step among the steps of its group that were taken in the same state:
 * A_{i,s} = G_{i,s} − mean(G_{j,u} : o_{j,u} = o_{i,s}), or that over (std of the same + ε), where G is the discounted return
 * of the step and o the state, its anchor. j runs over the trajectories of the group, u over their steps; a trajectory that comes
 * back to a state is compared with itself there.
 *
 * It is the second term of GiGPO, alone. It needs no reward model per step and no extra rollouts: the comparison is between what
 * followed from different actions in one state.
 *
 * | | here | verl-agent, GiGPO's second term | ROLL `step_reinforce` |
 * | --- | --- | --- | --- |
 * | state seen by one step only | 0 | G − G = 0 | 0 |
 * | all returns of a state equal | exactly 0 | 0 up to float noise | 0 (std ≤ 1e-6) |
 * | std, where it divides | population (÷n), ε = 1e-6 | ÷(n − 1), 1e-6 | ÷(n − 1), 1e-6 |
 * | returns [1, 0] in one state | [0.5, −0.5]; by std [1, −1] | [0.5, −0.5]; by std [0.71, −0.71] | by std [0.71, −0.71] |
 * | precision | float64 | float32 | float32 |
 *
 * @param returns  `returns[g][i][s]`, finite; not modified.
 * @param anchors  `anchors[g][i][s]`, equal texts for equal states; same shape.
 * @returns        fresh arrays of the same shape. They sum to 0 over each state of a group.
 * @throws RangeError when a trajectory has another number of anchors than of returns; RllmError REWARD_NOT_FINITE.
 * @see Feng et al. 2025 (GiGPO), https://arxiv.org/abs/2505.10978
 */
export function calculateStepReinforceAdvantages(
  returns: readonly (readonly (readonly number[])[])[],
  anchors: readonly (readonly (readonly string[])[])[],
  { normByStd = false }: StepGroupOptions = {},
): number[][][] {
  return returns.map((group, g) => {
    const states = anchors[g] ?? [];
    group.forEach((own, i) => {
      if (states[i]?.length === own.length) return;
      throw new RangeError(
        `trajectory ${i} of group ${g} has ${own.length} returns and ${states[i]?.length ?? 0} anchors`,
      );
    });
    const numbers = new Map<string, number>();
    const classes = states.flat().map((anchor) => {
      const known = numbers.get(anchor) ?? numbers.size;
      numbers.set(anchor, known);
      return known;
    });
    const related = relateWithin(group.flat(), classes, numbers.size, { normByStd, lone: 'zero' });
    return cutLike(related, group);
  });
}

/** What the estimators by anchor states read from `algorithm.estimatorOptions`. */
export interface AnchorEstimatorOptions {
  readonly gamma: number;
  readonly normByStd: boolean;
  readonly ignoreKeys: readonly string[];
}

export const anchorFields: {
  readonly gamma: z.ZodDefault<z.ZodNumber>;
  readonly normByStd: z.ZodDefault<z.ZodBoolean>;
  readonly ignoreKeys: z.ZodDefault<z.ZodArray<z.ZodString>>;
} = {
  gamma: gamma.default(0.95).describe('Discount per step of the step returns.'),
  normByStd: z.boolean().default(false).describe('Divide by the std, and not only centre.'),
  ignoreKeys: z
    .array(z.string())
    .default([])
    .describe('Keys of observations that do not count, at every depth, such as timestamps.'),
};

/** Step returns and anchors of a batch, `[g][i][s]`. @throws RllmError REWARD_NOT_FINITE, ESTIMATOR_INPUT */
export function anchoredReturns(
  { groups, rewards }: Pick<AdvantageBatch, 'groups' | 'rewards'>,
  options: Pick<AnchorEstimatorOptions, 'gamma' | 'ignoreKeys'>,
): { readonly returns: number[][][]; readonly anchors: ReturnType<typeof anchorsOf> } {
  const value = { value: 'return', gamma: options.gamma } as const;
  const returns = groups.map(({ trajectories }, g) =>
    trajectories.map((trajectory, i) =>
      finiteValues(trajectory, stepValues(trajectory, rewards[g]?.[i], value)),
    ),
  );
  return { returns, anchors: anchorsOf(groups, options) };
}

/** The estimator `step_reinforce`. */
@AdvEstimator('step_reinforce', {
  summary: 'return of the step − mean return of the steps of its group taken in the same state',
  paper: 'https://arxiv.org/abs/2505.10978',
  scope: 'group',
  requires: ['stepAnchors'],
  options: z.strictObject(anchorFields),
  perToken: true,
})
export class StepReinforce {
  estimate({ groups, rewards, options }: AdvantageBatch<AnchorEstimatorOptions>): AdvantageEstimates {
    const { returns, anchors } = anchoredReturns({ groups, rewards }, options);
    return spreadOverTokens(groups, calculateStepReinforceAdvantages(returns, anchors, options));
  }
}
