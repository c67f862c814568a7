import * as z from 'zod';
import type {
  KlInRewardConfig,
  LengthPenaltyConfig,
  LinearLengthConfig,
  RewardClipConfig,
  SoftOverlongConfig,
} from '../types.js';
import { nonNegative, positive, positiveInt, type ShapeOf } from './kinds.js';

export const rewardClip: z.ZodType<RewardClipConfig> = z.strictObject({
  min: z.number().nullable().default(null).describe('Smaller rewards are raised to it; `null` for no bound.'),
  max: z.number().nullable().default(null).describe('Larger rewards are lowered to it; `null` for no bound.'),
} satisfies ShapeOf<RewardClipConfig>);

const softOverlong = z.strictObject({
  kind: z.literal('soft_overlong').describe('Which penalty.'),
  maxTokens: positiveInt.describe('Tokens at which the whole penalty is reached.'),
  buffer: positiveInt.describe('Tokens over which it grows, at most `maxTokens`.'),
  factor: positive.default(1).describe('The whole penalty, in reward units.'),
} satisfies ShapeOf<SoftOverlongConfig>);

const linear = z.strictObject({
  kind: z.literal('linear').describe('Which penalty.'),
  factor: positive.default(1).describe("Share of the group's mean reward that its longest trajectory loses."),
} satisfies ShapeOf<LinearLengthConfig>);

export const lengthPenalty: z.ZodType<LengthPenaltyConfig> = z.discriminatedUnion('kind', [
  softOverlong,
  linear,
]);

export const klInReward: z.ZodType<KlInRewardConfig> = z.strictObject({
  coefficient: nonNegative.default(0).describe('Weight, in reward units per nat; 0 for none.'),
  estimator: z
    .enum(['k1', 'k2', 'k3', 'abs'])
    .default('k1')
    .describe(
      'What one token counts, with d = logπ − logπ_ref: k1 is d, k2 is d²/2, k3 is exp(−d) − 1 + d, abs is |d|.',
    ),
} satisfies ShapeOf<KlInRewardConfig>);
