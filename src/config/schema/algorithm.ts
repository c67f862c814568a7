import * as z from 'zod';
import type { AdamConfig, AlgorithmConfig, LossConfig } from '../types.js';
import {
  name,
  nameByRole,
  nonNegative,
  openOptions,
  positive,
  positiveInt,
  ratio,
  type ShapeOf,
} from './kinds.js';
import { klInReward, lengthPenalty, rewardClip } from './reward-shaping.js';

const PER_STEP_REFUSED =
  '"per_step" is not implemented: rLLM accepts it and silently trains with "broadcast". For advantages that differ between ' +
  'steps, set step.advantage in the workflow and algorithm.usePrecomputedAdvantage to true, or write an estimator that ' +
  'returns an advantage for each token';

/** Adam's numbers are those of rLLM's Tinker backend. */
const adam = z.strictObject({
  beta1: z.number().min(0).lt(1).default(0.9).describe('Decay of the mean of the gradients.'),
  beta2: z.number().min(0).lt(1).default(0.95).describe('Decay of the mean of their squares.'),
  eps: positive.default(1e-8).describe('Added to the denominator.'),
  weightDecay: nonNegative.default(0).describe('Decoupled weight decay, as in AdamW.'),
} satisfies ShapeOf<AdamConfig>);

const lossConfig = z.strictObject({
  clipLowThreshold: nonNegative
    .nullable()
    .default(null)
    .describe('Read by `ppo` and `cispo`: smallest probability ratio that still counts.'),
  clipHighThreshold: nonNegative
    .nullable()
    .default(null)
    .describe('Read by `ppo` and `cispo`: largest probability ratio that still counts.'),
  beta: nonNegative.nullable().default(null).describe('Read by `dro`: weight of the squared log-ratio.'),
} satisfies ShapeOf<LossConfig>);

export const algorithm: z.ZodType<AlgorithmConfig> = z.strictObject({
  estimator: name
    .default('grpo')
    .describe('Name of the estimator of every role that `estimatorMap` does not name.'),
  estimatorMap: nameByRole.default({}).describe('Estimator by role.'),
  estimatorOptions: z
    .record(name, openOptions)
    .default({})
    .describe("Options by estimator name, each validated by its estimator's own schema."),
  stepwiseAdvantageMode: z
    .literal('broadcast', { error: ({ input }) => (input === 'per_step' ? PER_STEP_REFUSED : undefined) })
    .default('broadcast')
    .describe(
      'Only `broadcast` is implemented, as in the reference: one advantage for all tokens of a trajectory.',
    ),
  normAdvByStdInGrpo: z.boolean().default(true).describe("Read by `grpo`: divide by the group's std."),
  usePrecomputedAdvantage: z
    .boolean()
    .default(false)
    .describe('Take `step.advantage` where the workflow has set it, instead of estimating.'),
  loneTrajectory: z
    .enum(['reward', 'zero', 'drop'])
    .default('reward')
    .describe(
      'Advantage of a trajectory alone in its group: its reward (rLLM), 0, or none (it does not train).',
    ),
  missingReward: z
    .enum(['error', 'exclude'])
    .default('error')
    .describe('A missing or non-finite reward stops the run, or leaves the trajectory out of its group.'),
  advantageClip: positive
    .nullable()
    .default(null)
    .describe('Bound of every advantage: they are clipped to [−c, c]; `null` for none.'),
  rewardClip: rewardClip
    .prefault({})
    .describe(
      'Bounds of the rewards that estimators see. Metrics and rejection sampling see rewards as they are.',
    ),
  lengthPenalty: lengthPenalty
    .nullable()
    .default(null)
    .describe(
      'Takes a penalty for long trajectories off the reward before the estimator sees it; `null` for none.',
    ),
  klInReward: klInReward
    .prefault({})
    .describe(
      'Takes `coefficient · Σₜ k(logπ − logπ_ref)` off the reward. Needs a backend with reference log-probs.',
    ),
  lossFn: name
    .nullable()
    .default(null)
    .describe(
      "Read by backends: the loss of every role that `lossFnMap` does not name; `null` takes the estimator's default.",
    ),
  lossFnMap: nameByRole.default({}).describe('Loss by role.'),
  lossConfig: lossConfig
    .prefault({})
    .describe('Read by losses. Clip thresholds are absolute bounds of the probability ratio.'),
  learningRate: nonNegative
    .nullable()
    .default(null)
    .describe("Read by backends; `null` takes the backend's own default."),
  lrSchedule: z
    .enum(['constant', 'linear', 'cosine'])
    .default('constant')
    .describe('How the learning rate goes on after warm-up: it stays, or falls to 0 over the planned steps.'),
  warmupStepsRatio: ratio
    .default(0)
    .describe('Share of the planned steps over which the learning rate rises linearly from 0, in [0, 1].'),
  adam: adam.prefault({}).describe('Read by backends.'),
  maxGradNorm: positive
    .nullable()
    .default(null)
    .describe("Bound of the gradient's global L2 norm; `null` for none."),
  miniBatches: positiveInt
    .default(1)
    .describe('Optimiser steps per pass over a batch; the batch is split in that many parts.'),
  updateEpochs: positiveInt.default(1).describe('Passes over a batch.'),
} satisfies ShapeOf<AlgorithmConfig>);
