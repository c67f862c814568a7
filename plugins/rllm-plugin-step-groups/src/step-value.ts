import { RllmError, type Trajectory } from 'rllm-sdk';
import { z } from 'zod';
import { discountedReturns, stepRewards } from './step-returns.js';

/** What a step is worth, where each step stands for itself. */
export interface StepValueOptions {
  /**
   * `return`: the discounted return from the step on. `step`: the step's reward alone. `mcReturn`: `step.mcReturn` as the workflow
   * has set it, 0 where it has not.
   */
  readonly value: 'return' | 'step' | 'mcReturn';
  /** Read by `return`: discount per step. */
  readonly gamma: number;
}

export const gamma: z.ZodNumber = z.number().min(0).max(1);

export const stepValueFields: {
  readonly value: z.ZodDefault<z.ZodEnum<{ return: 'return'; step: 'step'; mcReturn: 'mcReturn' }>>;
  readonly gamma: z.ZodDefault<z.ZodNumber>;
} = {
  value: z
    .enum(['return', 'step', 'mcReturn'])
    .default('return')
    .describe("What a step is worth: its discounted return, its own reward, or the workflow's `mcReturn`."),
  gamma: gamma.default(1).describe('Read by `return`: discount per step.'),
};

/**
 * What each step of a trajectory is worth, shape [S].
 *
 * @param reward  the trajectory's reward; what it has beyond the sum of its steps counts for the last step (see `stepRewards`).
 */
export function stepValues(
  trajectory: Trajectory,
  reward: number | undefined,
  { value, gamma: discount }: StepValueOptions,
): number[] {
  if (value === 'mcReturn') return trajectory.steps.map((step) => step.mcReturn);
  const rewards = stepRewards(trajectory, reward);
  return value === 'step' ? rewards : discountedReturns(rewards, discount);
}

/**
 * The values themselves, once each is known to be a number: a NaN among steps would else pass where nothing is compared with it.
 *
 * @throws RllmError REWARD_NOT_FINITE; the message names the step.
 */
export function finiteValues({ uid, name }: Trajectory, values: number[]): number[] {
  const odd = values.findIndex((value) => !Number.isFinite(value));
  if (odd < 0) return values;
  throw new RllmError(
    'REWARD_NOT_FINITE',
    `Step ${odd} of trajectory "${uid}", role "${name}", is worth ${String(values[odd])}, by its own reward or that of a later step.`,
  );
}
