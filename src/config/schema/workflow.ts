import * as z from 'zod';
import type { WorkflowConfig } from '../types.js';
import { delayMs, openOptions, positiveInt, ratio, type ShapeOf } from './kinds.js';

/** rLLM's deadline is 1e6 seconds, so a rollout that hangs is never reported; here it is an hour. */
const ONE_HOUR_MS = 3_600_000;

export const workflow: z.ZodType<WorkflowConfig> = z.strictObject({
  use: z.string().default('').describe('Name of the workflow; empty when it is given in code.'),
  options: openOptions
    .default({})
    .describe('Handed to the workflow, validated against its own schema where it has one.'),
  nParallelTasks: positiveInt.default(256).describe('Rollouts that run at once.'),
  retryLimit: positiveInt.default(3).describe('Attempts per rollout; 1 means no retry.'),
  retryOn: z
    .array(z.enum(['error', 'timeout']))
    .default(['error'])
    .describe('Terminations that are tried again.'),
  retryBackoffMs: delayMs
    .default(500)
    .describe('First pause before a retry; it doubles with each attempt, with jitter.'),
  timeoutMs: delayMs
    .min(1)
    .nullable()
    .default(ONE_HOUR_MS)
    .describe('Deadline of one attempt; `null` for none.'),
  raiseOnError: z.boolean().default(true).describe('Stop the run when a rollout has failed for good.'),
  gamma: ratio.default(0).describe('Discount for step returns written to step rewards; 0 leaves them.'),
  rewardBonusCoeff: z.number().default(0).describe('Adds `c·(rᵢ − rᵢ₋₁)` to step rewards.'),
} satisfies ShapeOf<WorkflowConfig>);
