import { type BigramModel, randomOf } from './bigram-model.js';

/** Parameters of sampling, by the protocol's names. */
export interface WireSampling {
  readonly max_tokens: number;
  readonly temperature?: number;
  readonly top_k?: number;
  readonly top_p?: number;
  readonly stop?: readonly number[] | readonly string[];
}

/** One sample as the protocol writes it. */
export interface WireSequence {
  readonly stop_reason: 'stop' | 'length';
  readonly tokens: readonly number[];
  /** At temperature 1 and without top-k or top-p, rounded to single precision. */
  readonly logprobs: readonly number[];
}

/** Samples after the prompt until a stop token or `max_tokens`. Temperature 0 takes the likeliest token. */
export function sampleTokens(
  model: BigramModel,
  prompt: readonly number[],
  params: WireSampling,
  seed: number,
): WireSequence {
  const random = randomOf(seed);
  const stop = new Set<unknown>(params.stop ?? []);
  const tokens: number[] = [];
  const logprobs: number[] = [];
  let last = prompt.at(-1) ?? 0;
  while (tokens.length < params.max_tokens) {
    const row = model.logprobs(last);
    last = draw(row, params, random());
    tokens.push(last);
    logprobs.push(Math.fround(row[last]!));
    if (stop.has(last)) return { stop_reason: 'stop', tokens, logprobs };
  }
  return { stop_reason: 'length', tokens, logprobs };
}

function draw(row: Float64Array, params: WireSampling, u: number): number {
  const { temperature = 1, top_k = -1, top_p = 1 } = params;
  const order = Array.from(row.keys()).sort((a, b) => row[b]! - row[a]!);
  if (temperature === 0) return order[0]!;
  const weights = order.map((token) => Math.exp((row[token]! - row[order[0]!]!) / temperature));
  const total = weights.reduce((a, b) => a + b, 0);
  let mass = 0;
  let kept = 0;
  while (kept < order.length && (top_k < 0 || kept < top_k) && mass < top_p * total) mass += weights[kept++]!;
  let left = u * mass;
  for (let i = 0; i < kept; i++) {
    left -= weights[i]!;
    if (left < 0) return order[i]!;
  }
  return order[kept - 1]!;
}
