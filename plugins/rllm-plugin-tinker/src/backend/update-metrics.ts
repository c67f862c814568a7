import { isClipped, type Metrics, type TrainingRow, type TrajectoryRows, tokenLoss } from 'rllm-sdk';
import type { DonePart, DoneSubstep } from './take-update.js';

/**
 * Metrics of an update; means over its optimiser steps where there are several.
 *
 * With q the sampled log-prob and p that of the weights before a step, over every sampled token: `train/kl_sample_train_v1` = mean |q − p|,
 * `…_v2` = mean ½(q − p)², `train/loss` = mean loss by the definition of `tokenLoss`, `train/entropy` = −mean q, `train/perplexity` its exp. The first
 * two are the check that the engine samples from the weights it trains: at the first step of a batch they are rounding, unless it does not.
 */
export function updateMetrics(
  trajectories: readonly TrajectoryRows[],
  steps: readonly DoneSubstep[],
  learningRate: number,
): Metrics {
  if (steps.length === 0) return {};
  const sums = { tokens: 0, difference: 0, squared: 0, clipped: 0, loss: 0 };
  for (const part of steps.flatMap(({ parts }) => parts)) addTokens(sums, part);
  const entropy = sampledEntropy(trajectories);
  return {
    'optim/lr': learningRate,
    'progress/lr': learningRate,
    'optim/steps': steps.length,
    'train/entropy': entropy,
    'train/perplexity': Math.exp(entropy),
    'train/loss': sums.loss / sums.tokens,
    'train/kl_sample_train_v1': sums.difference / sums.tokens,
    'train/kl_sample_train_v2': sums.squared / sums.tokens,
    'train/clip_fraction': sums.clipped / sums.tokens,
    ...engineMetrics(steps),
  };
}

interface TokenSums {
  tokens: number;
  difference: number;
  squared: number;
  clipped: number;
  loss: number;
}

/** Plain loops: a step has hundreds of thousands of tokens. */
function addTokens(sums: TokenSums, { part: { loss, rows, data }, result }: DonePart): void {
  const signs = { positive: 0, negative: 0, count: 1 };
  for (let i = 0; i < rows.length; i++) {
    const { logprobs: sampledLogprobs, sampled } = rows[i] as TrainingRow;
    const { advantages, weights } = data[i]?.lossInputs ?? {};
    const signal = advantages ?? weights ?? [];
    const logprobs = result.outputs[i]?.logprobs ?? [];
    for (let at = 0; at < sampled.length; at++) {
      if (sampled[at] === 0) continue;
      const q = sampledLogprobs[at] as number;
      const p = logprobs[at] ?? Number.NaN;
      const advantage = signal[at] ?? 0;
      signs.positive = Math.max(advantage, 0);
      signs.negative = Math.min(advantage, 0);
      sums.tokens++;
      sums.difference += Math.abs(q - p);
      sums.squared += 0.5 * (q - p) ** 2;
      sums.loss += tokenLoss(loss, p, q, signs);
      if (isClipped(loss, p, q, signs)) sums.clipped++;
    }
  }
}

/** −mean q over the sampled tokens of the batch. */
function sampledEntropy(trajectories: readonly TrajectoryRows[]): number {
  let sum = 0;
  let tokens = 0;
  for (const { logprobs, sampled } of trajectories.flatMap(({ rows }) => rows)) {
    for (let i = 0; i < sampled.length; i++) {
      if (sampled[i] === 0) continue;
      tokens++;
      sum += logprobs[i] as number;
    }
  }
  return -sum / tokens;
}

/**
 * The engine's own metrics, mean over the steps. Those of the loss are `train/…` with `:` as `/`, without `clock_cycle…`, and where a step has several losses
 * a `:sum` is their sum, anything else their mean. Those of the optimizer are `optim/…` without the engine's prefix; the learning rate is known.
 */
function engineMetrics(steps: readonly DoneSubstep[]): Metrics {
  const values = new Map<string, number[]>();
  const add = (name: string, value: number): void => {
    if (!Number.isFinite(value)) return;
    const list = values.get(name) ?? [];
    values.set(name, list);
    list.push(value);
  };
  for (const { parts, optim } of steps) {
    for (const [name, value] of lossMetrics(parts)) add(`train/${name.replaceAll(':', '/')}`, value);
    for (const [name, value] of Object.entries(optim.metrics)) {
      const own = name.slice(name.lastIndexOf('/') + 1).replaceAll(':', '/');
      if (own !== 'learning_rate') add(`optim/${own}`, value);
    }
  }
  const metrics: Metrics = {};
  for (const [name, list] of values) metrics[name] = mean(list);
  return metrics;
}

function lossMetrics(parts: readonly DonePart[]): readonly (readonly [string, number])[] {
  const names = new Set(parts.flatMap(({ result }) => Object.keys(result.metrics)));
  return [...names]
    .filter((name) => !name.startsWith('clock_cycle'))
    .map((name) => {
      const values = parts.flatMap(({ result }) => result.metrics[name] ?? []);
      const sum = values.reduce((a, b) => a + b, 0);
      return [name, name.endsWith(':sum') ? sum : sum / values.length];
    });
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}
