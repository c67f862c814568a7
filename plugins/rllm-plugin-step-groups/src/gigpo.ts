import { type AdvantageBatch, type AdvantageEstimates, AdvEstimator } from 'rllm-sdk';
import { z } from 'zod';
import { cutLike, relateWithin } from './relate-within.js';
import { spreadOverTokens } from './spread-over-tokens.js';
import {
  type AnchorEstimatorOptions,
  anchoredReturns,
  anchorFields,
  calculateStepReinforceAdvantages,
} from './step-reinforce.js';

export interface GigpoOptions {
  /** w, the weight of the step term. */
  readonly stepWeight?: number;
  /** Divide both terms by their std, population, ε = 1e-6 added. */
  readonly normByStd?: boolean;
  /** What the mean and std of the episode term are over: each trajectory once, or once per step, as verl-agent's code does by default. */
  readonly episodeBaseline?: 'trajectory' | 'step';
}

/**
 * GiGPO, group-in-group: A_{i,s} = A^E_i + w · A^S_{i,s}.
 *
 * - Episode term: A^E_i = R_i − mean(R), or that over (std(R) + ε), over the trajectories of the group.
 * - Step term: A^S as `calculateStepReinforceAdvantages` gives it: the discounted return of the step against the steps of the
 *   group that were taken in the same state.
 *
 * Row: R = [1, 0]; trajectory 0 takes steps in the states a, b with returns [0.5, 1], trajectory 1 in a, c with [0, 0]; w = 1.
 * Here [[0.75, 0.5], [−0.75, −0.5]]: only the state a is shared, where 0.5 against 0 gives ±0.25.
 *
 * | | here | paper | verl-agent | ROLL |
 * | --- | --- | --- | --- | --- |
 * | by default | centres; `normByStd` divides both terms | either | centres (`mean_norm`) | as configured |
 * | std | population, ε = 1e-6 | std | ÷(n − 1), 1e-6 | ÷(n − 1), 1e-6; 0 where std ≤ 1e-6 |
 * | baseline of the episode | each trajectory once | each trajectory once | each step once; `episodeBaseline: "step"` | each trajectory once |
 * | R = [1, 0] with 3 and 1 steps | ±0.5 | ±0.5 | 0.25, −0.75 | by std ±0.71 |
 * | lone trajectory | its reward + w · A^S | – | one step: its reward; more: 0 | 0 |
 * | state seen once | A^S = 0 | 0 | 0 | 0 |
 * | equal rewards, equal returns | exactly 0 | 0 | 0 up to float noise | 0 |
 * | states | data, keys sorted at every depth | equal | Python equality, keys sorted | a hash of the state |
 *
 * The collection overrides the lone trajectory by `algorithm.loneTrajectory`. By `"step"` a lone trajectory keeps its reward, too;
 * one beside others that have no step is compared with itself, and its episode term is 0 whatever the number of its steps.
 *
 * @param rewards  `rewards[g][i]`, finite; not modified.
 * @param returns  `returns[g][i][s]`, discounted step returns; not modified.
 * @param anchors  `anchors[g][i][s]`, equal texts for equal states.
 * @returns        fresh arrays `[g][i][s]`.
 * @throws RllmError REWARD_NOT_FINITE; RangeError when the shapes differ.
 * @see Feng et al. 2025, https://arxiv.org/abs/2505.10978
 */
export function calculateGigpoAdvantages(
  rewards: readonly ArrayLike<number>[],
  returns: readonly (readonly (readonly number[])[])[],
  anchors: readonly (readonly (readonly string[])[])[],
  options: GigpoOptions = {},
): number[][][] {
  const { stepWeight = 1, normByStd = false, episodeBaseline = 'trajectory' } = options;
  const steps = calculateStepReinforceAdvantages(returns, anchors, { normByStd });
  return rewards.map((group, g) => {
    const own = steps[g] ?? [];
    if (own.length !== group.length) {
      throw new RangeError(
        `group ${g} has ${group.length} rewards and returns of ${own.length} trajectories`,
      );
    }
    const rows = own.map(({ length }) => (episodeBaseline === 'step' && group.length > 1 ? length : 1));
    const episodes = episodeTerm(group, rows, normByStd);
    // `+ 0` turns −0 into 0.
    return own.map((terms, i) => terms.map((term) => (episodes[i] ?? 0) + stepWeight * term + 0));
  });
}

/** @param rows  how often each trajectory counts in mean and std. One that counts never has no step to give an advantage. */
function episodeTerm(rewards: ArrayLike<number>, rows: readonly number[], normByStd: boolean): number[] {
  const counted = rows.flatMap((count, i) => new Array<number>(count).fill(rewards[i] as number));
  const one = new Array<number>(counted.length).fill(0);
  // One row of several trajectories: no other has a step, and by the formula it is its own mean.
  const lone = rewards.length === 1 ? 'value' : 'zero';
  const related = relateWithin(counted, one, 1, { normByStd, lone });
  return cutLike(
    related,
    rows.map((length) => ({ length })),
  ).map(([first = 0]) => first);
}

/** `algorithm.estimatorOptions.gigpo`. */
export type GigpoEstimatorOptions = AnchorEstimatorOptions & Required<GigpoOptions>;

/** The estimator `gigpo`. */
@AdvEstimator('gigpo', {
  summary:
    'r − mean of the group, plus w · (return of the step − mean return of the steps in the same state)',
  paper: 'https://arxiv.org/abs/2505.10978',
  scope: 'group',
  requires: ['stepAnchors'],
  options: z.strictObject({
    stepWeight: z.number().min(0).default(1).describe('Weight of the step term; 0 leaves the episode term.'),
    ...anchorFields,
    episodeBaseline: z
      .enum(['trajectory', 'step'])
      .default('trajectory')
      .describe("Count each trajectory once in the episode's baseline, or once per step as verl-agent does."),
  }),
  perToken: true,
})
export class Gigpo {
  estimate({ groups, rewards, options }: AdvantageBatch<GigpoEstimatorOptions>): AdvantageEstimates {
    const { returns, anchors } = anchoredReturns({ groups, rewards }, options);
    return spreadOverTokens(groups, calculateGigpoAdvantages(rewards, returns, anchors, options));
  }
}
