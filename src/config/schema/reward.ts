import * as z from 'zod';
import type { RewardConfig, RewardReference } from '../types.js';
import { name, openOptions, type ShapeOf } from './kinds.js';

/** A reward function with neither weight nor options may stand as its bare name. */
export function expandReward(value: unknown): unknown {
  return typeof value === 'string' ? { use: value } : value;
}

const rewardFunction = z.preprocess(
  expandReward,
  z.strictObject({
    use: name.describe('Name of the reward function.'),
    name: name
      .nullable()
      .default(null)
      .describe(
        'Names the score among the parts of the reward (`trajectory.rewards`); `null` takes the name of the function.',
      ),
    weight: z.number().default(1).describe('Factor of the score in the reward; 0 only records it.'),
    roles: z
      .array(name)
      .nullable()
      .default(null)
      .describe('Roles whose trajectories it scores; `null` for all.'),
    options: openOptions.default({}).describe("Validated against the function's own schema."),
  } satisfies ShapeOf<RewardReference>),
);

export const reward: z.ZodType<RewardConfig> = z.strictObject({
  functions: z
    .array(rewardFunction)
    .default([])
    .describe(
      "Reward functions, each by its name alone or `{ use, … }`; a trajectory's reward is the weighted sum of those that cover its role. Empty leaves rewards to the workflow.",
    ),
} satisfies ShapeOf<RewardConfig>);
