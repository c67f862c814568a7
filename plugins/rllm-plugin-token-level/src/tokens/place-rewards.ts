import { type AdvantageBatch, RllmError, type Trajectory, type TrajectoryGroup } from 'rllm-sdk';
import { z } from 'zod';
import { placeOf, readLengths } from './read-tokens.js';
import { type TokenTable, tableOf } from './token-table.js';

/** Where rewards fall: the trajectory's on its last token, or each step's on the last token of the step. */
export type RewardPlacement = 'final' | 'step';

/** Option of estimators that place rewards on tokens. */
export const rewardsOption: z.ZodType<RewardPlacement> = z
  .enum(['final', 'step'])
  .default('final')
  .describe("The trajectory's reward on its last token, or each step's own reward on the step's last token.");

/**
 * Rewards of tokens, 0 but on last tokens.
 *
 * - `final`: `rewards[g][i]` on the last token of the trajectory.
 * - `step`: `step.reward` on the last token of each step. What policies made of the trajectory's reward (clipping, a penalty),
 *   `rewards[g][i] − trajectory.reward`, falls on the last token of the trajectory; the trajectory's reward itself does not count.
 *
 * The reward of a step without tokens falls on the last token before it, and is lost where there is none: nothing was sampled
 * that could have earned it.
 *
 * @throws RllmError REWARD_NOT_FINITE for the reward of a step, which the message names.
 */
export function placeRewards(
  { rewards, groups }: Pick<AdvantageBatch<unknown>, 'rewards' | 'groups'>,
  placement: RewardPlacement,
): TokenTable {
  const table = tableOf(readLengths(groups));
  groups.forEach((group, g) => {
    for (let i = 0; i < group.trajectories.length; i++) {
      const row = table.rows[g]?.[i] as Float64Array;
      const reward = rewards[g]?.[i] as number;
      if (row.length === 0) continue;
      if (placement === 'final') row[row.length - 1] = reward + 0;
      else placeSteps(row, group, i, reward);
    }
  });
  return table;
}

function placeSteps(row: Float64Array, group: TrajectoryGroup, i: number, shaped: number): void {
  const { steps, reward = shaped } = group.trajectories[i] as Trajectory;
  let end = 0;
  steps.forEach((step, s) => {
    if (!Number.isFinite(step.reward)) {
      const { name, details } = placeOf(group, i, s);
      throw new RllmError(
        'REWARD_NOT_FINITE',
        `The reward of ${name} is ${String(step.reward)}, not a finite number.`,
        { details },
      );
    }
    end += step.responseIds.length;
    if (end > 0) row[end - 1] = (row[end - 1] as number) + step.reward;
  });
  row[end - 1] = (row[end - 1] as number) + (shaped - reward);
}
