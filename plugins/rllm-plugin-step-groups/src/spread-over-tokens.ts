import type { AdvantageEstimates, TrajectoryGroup } from 'rllm-sdk';

/** Advantages of steps, `[g][i][s]`. */
export type StepAdvantages = readonly (readonly ArrayLike<number>[])[];

/**
 * Advantages per token of advantages per step: all response tokens of a step share the step's. A step without tokens has none.
 *
 * @param advantages  `[g][i][s]`.
 * @returns           `[g][i][t]`, t over the response tokens of the trajectory's steps in order.
 */
export function spreadOverTokens(
  groups: readonly TrajectoryGroup[],
  advantages: StepAdvantages,
): AdvantageEstimates {
  return {
    advantages: groups.map(({ trajectories }, g) =>
      trajectories.map(({ steps }, i) => {
        const own = advantages[g]?.[i];
        const tokens: number[] = [];
        for (let s = 0; s < steps.length; s++) {
          const advantage = own?.[s] ?? 0;
          const length = steps[s]?.responseIds.length ?? 0;
          for (let t = 0; t < length; t++) tokens.push(advantage);
        }
        return tokens;
      }),
    ),
  };
}
