import * as z from 'zod';
import type { RolloutConfig, SamplingConfig } from '../types.js';
import { nonNegative, positiveInt, type ShapeOf } from './kinds.js';

const sampling = z.strictObject({
  temperature: nonNegative.default(1).describe('0 takes the likeliest token.'),
  topP: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe('Keep the likeliest tokens that hold this much probability.'),
  maxTokens: positiveInt.default(1024).describe('Longest completion of one model call, in tokens.'),
} satisfies ShapeOf<SamplingConfig>);

export const rollout: z.ZodType<RolloutConfig> = z.strictObject({
  n: positiveInt.default(8).describe('Rollouts per training task: the group size.'),
  nVal: positiveInt.default(1).describe('Rollouts per validation task.'),
  train: sampling.prefault({}).describe('Sampling in training.'),
  val: sampling.prefault({}).describe('Sampling in validation.'),
} satisfies ShapeOf<RolloutConfig>);
