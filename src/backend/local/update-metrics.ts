import type { Metrics } from '../../types/index.js';
import type { RowBatch } from '../row-batch.js';
import { explainedVariance } from './explained-variance.js';
import { addLossSums, type LossSums, NO_LOSS_SUMS } from './loss-sums.js';
import type { UpdatePart } from './update-plan.js';

/** One optimiser step that was taken. */
export interface UpdateStep {
  readonly part: UpdatePart;
  /** Before clipping. */
  readonly gradientNorm: number;
  readonly sums: LossSums;
}

/**
 * Metrics of an update; means over its optimiser steps where there are several.
 *
 * `train/entropy` is −mean q over every sampled token, as in rLLM. `train/kl_sample_train_v1` = mean |q − p|, `…_v2` = mean ½(q − p)² and
 * `train/clip_fraction` are over the tokens whose loss was computed: those of trajectories with an advantage. Where none was, they are left out,
 * as the critic's metrics are where there is none.
 */
export function updateMetrics(batch: RowBatch, steps: readonly UpdateStep[], learningRate: number): Metrics {
  if (steps.length === 0) return {};
  const mean = (value: (step: UpdateStep) => number): number =>
    steps.reduce((sum, step) => sum + value(step), 0) / steps.length;
  const entropy = sampledEntropy(batch);
  const sums = steps.reduce((all, step) => addLossSums(all, step.sums), NO_LOSS_SUMS);
  return {
    'optim/lr': learningRate,
    'optim/grad_norm': mean(({ gradientNorm }) => gradientNorm),
    'optim/steps': steps.length,
    'train/loss': mean((step) => step.sums.loss / step.part.tokens),
    'train/entropy': entropy,
    'train/perplexity': Math.exp(entropy),
    'batch/contexts': mean(({ part }) => part.trees.reduce((sum, { size }) => sum + size, 0)),
    ...(sums.tokens === 0
      ? {}
      : {
          'train/kl_sample_train_v1': sums.difference / sums.tokens,
          'train/kl_sample_train_v2': sums.squaredDifference / sums.tokens,
          'train/clip_fraction': sums.clipped / sums.tokens,
        }),
    ...(sums.valueTokens === 0
      ? {}
      : { 'train/value_loss': sums.valueLoss / sums.valueTokens, ...explainedVariance(batch) }),
  };
}

function sampledEntropy({ trajectories }: RowBatch): number {
  let sum = 0;
  let tokens = 0;
  for (const { logprobs, sampled } of trajectories.flatMap(({ rows }) => rows)) {
    for (const [i, mask] of sampled.entries()) {
      tokens += mask;
      sum += logprobs[i] as number;
    }
  }
  return -sum / tokens;
}
