import { isClipped, tokenLoss } from '../loss.js';
import { valueLoss } from './critic.js';
import type { MicroBatch, ValueTargets } from './micro-batch.js';

/** Sums over the trained tokens of a batch, each token as often as trajectories have it. p is the trained log-prob, q the sampled one. */
export interface LossSums {
  readonly tokens: number;
  readonly loss: number;
  /** Σ |q − p|. */
  readonly difference: number;
  /** Σ ½(q − p)². */
  readonly squaredDifference: number;
  readonly clipped: number;
  /** Tokens with a return, and the squared errors of the values before them. */
  readonly valueTokens: number;
  readonly valueLoss: number;
}

export const NO_LOSS_SUMS: LossSums = {
  tokens: 0,
  loss: 0,
  difference: 0,
  squaredDifference: 0,
  clipped: 0,
  valueTokens: 0,
  valueLoss: 0,
};

/** @param logprobs  of every token after every context, [rows·length·V]. */
export function sumLoss(batch: MicroBatch, logprobs: ArrayLike<number>): LossSums {
  let { tokens, loss, difference, squaredDifference, clipped } = NO_LOSS_SUMS;
  for (let i = 0; i < batch.counts.length; i++) {
    const count = batch.counts[i] as number;
    if (count === 0) continue;
    const p = logprobs[i] as number;
    const q = batch.sampledLogprobs[i] as number;
    const weights = { positive: batch.positive[i] as number, negative: batch.negative[i] as number, count };
    tokens += count;
    loss += tokenLoss(batch.loss, p, q, weights);
    difference += count * Math.abs(q - p);
    squaredDifference += 0.5 * count * (q - p) ** 2;
    if (isClipped(batch.loss, p, q, weights)) clipped += clippedAt(batch, i, p);
  }
  return { ...NO_LOSS_SUMS, tokens, loss, difference, squaredDifference, clipped };
}

/** Number of trajectories whose own advantage the loss clips at one token; not all need have the same sign. */
function clippedAt(
  { loss, sampledLogprobs, counts, positives, negatives }: MicroBatch,
  i: number,
  p: number,
): number {
  const [count, above, below] = [counts[i] as number, positives[i] as number, negatives[i] as number];
  const clips = (positive: number, negative: number): boolean =>
    isClipped(loss, p, sampledLogprobs[i] as number, { positive, negative, count: 1 });
  return (clips(1, 0) ? above : 0) + (clips(0, -1) ? below : 0) + (clips(0, 0) ? count - above - below : 0);
}

/** @param values  of every context, [rows·length]. */
export function sumValueLoss(
  { means, counts, before, spread }: ValueTargets,
  values: ArrayLike<number>,
  clip: number | null,
): Pick<LossSums, 'valueTokens' | 'valueLoss'> {
  let valueTokens = 0;
  let sum = spread;
  for (const [i, count] of counts.entries()) {
    if (count === 0) continue;
    valueTokens += count;
    const term = { count, mean: means[i] as number, before: before[i] as number };
    sum += valueLoss(values[i] as number, term, clip);
  }
  return { valueTokens, valueLoss: sum };
}

export function addLossSums(a: LossSums, b: LossSums): LossSums {
  return {
    tokens: a.tokens + b.tokens,
    loss: a.loss + b.loss,
    difference: a.difference + b.difference,
    squaredDifference: a.squaredDifference + b.squaredDifference,
    clipped: a.clipped + b.clipped,
    valueTokens: a.valueTokens + b.valueTokens,
    valueLoss: a.valueLoss + b.valueLoss,
  };
}
