import { type AdvantageBatch, type AdvantageEstimates, AdvEstimator, type AlgorithmConfig } from 'rllm-sdk';
import { z } from 'zod';
import { cutLike, relateWithin } from './relate-within.js';
import { spreadOverTokens } from './spread-over-tokens.js';
import { finiteValues, type StepValueOptions, stepValueFields, stepValues } from './step-value.js';

export interface PerStepOptions {
  /** Divide by the std of the position, population, ε = 1e-6 added. */
  readonly normByStd?: boolean;
  /** What a step gets that no other trajectory of its group has a step beside: its value, or 0. */
  readonly lone?: 'value' | 'zero';
}

/**
 * Each step as a unit of its own: A_{i,s} = (v_{i,s} − mean_j v_{j,s}) / (std_j v_{j,s} + ε), over the trajectories j of the
 * group that have a step s. It is GRPO with one group for each task, role and step position, the mode `per_step` of older rLLM,
 * which newer rLLM accepts and silently replaces by `broadcast`.
 *
 * Row: values [1, 2], [3, 2], [5] give [−1.2247, 0], [0, 0], [1.2247]; without std [−2, 0], [0, 0], [2].
 *
 * | | here | rLLM, when it had the mode |
 * | --- | --- | --- |
 * | value of a step | its return by default; its reward; or `mcReturn` | `mc_return` |
 * | std | population, ε = 1e-6 | verl's GRPO: ÷(n − 1), 1e-6 |
 * | position that one trajectory reaches | its value / (1 + ε), without std the value, or 0 | its value / (1 + ε) |
 * | all values of a position equal | exactly 0 | 0 up to float noise |
 *
 * Positions say nothing of the state: trajectories that have gone different ways are compared. Where states are known, `gigpo`
 * compares what can be compared. Positions that only long trajectories reach are compared among those alone.
 *
 * @param values  `values[g][i][s]`, finite; not modified.
 * @returns       fresh arrays of the same shape. They sum to 0 over each position that two or more trajectories reach.
 * @throws RllmError REWARD_NOT_FINITE.
 * @see rLLM, `stepwise_advantage.mode: per_step`; GRPO: https://arxiv.org/abs/2402.03300
 */
export function calculatePerStepAdvantages(
  values: readonly (readonly (readonly number[])[])[],
  { normByStd = true, lone = 'value' }: PerStepOptions = {},
): number[][][] {
  return values.map((group) => {
    const positions = group.flatMap((own) => own.map((_, s) => s));
    const longest = group.reduce((max, { length }) => Math.max(max, length), 0);
    return cutLike(relateWithin(group.flat(), positions, longest, { normByStd, lone }), group);
  });
}

/** Values of the steps of a batch, `[g][i][s]`. @throws RllmError REWARD_NOT_FINITE */
export function valuesOf(
  { groups, rewards }: Pick<AdvantageBatch, 'groups' | 'rewards'>,
  options: StepValueOptions,
): number[][][] {
  return groups.map(({ trajectories }, g) =>
    trajectories.map((trajectory, i) =>
      finiteValues(trajectory, stepValues(trajectory, rewards[g]?.[i], options)),
    ),
  );
}

/** `algorithm.loneTrajectory` for steps. One step of a trajectory cannot be dropped: with 0 it teaches nothing, which comes to the same. */
export function loneStep({ loneTrajectory }: AlgorithmConfig): 'value' | 'zero' {
  return loneTrajectory === 'reward' ? 'value' : 'zero';
}

/** The estimator `per_step`. */
@AdvEstimator('per_step', {
  summary: '(v − mean) / (std + 1e-6) of each step among the steps at its position in the group',
  paper: 'https://arxiv.org/abs/2402.03300',
  scope: 'group',
  options: z.strictObject({
    ...stepValueFields,
    normByStd: z.boolean().default(true).describe('Divide by the std, and not only centre.'),
  }),
  perToken: true,
})
export class PerStep {
  estimate(batch: AdvantageBatch<StepValueOptions & { readonly normByStd: boolean }>): AdvantageEstimates {
    const { groups, algorithm, options } = batch;
    const values = valuesOf(batch, options);
    const { normByStd } = options;
    const advantages = calculatePerStepAdvantages(values, { normByStd, lone: loneStep(algorithm) });
    return spreadOverTokens(groups, advantages);
  }
}
