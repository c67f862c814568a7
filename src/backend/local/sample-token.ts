import type { Random } from '../../random.js';

/** Natural-log probabilities of logits, in float64: logit − log Σ exp. */
export function logSoftmax(logits: ArrayLike<number>): Float64Array {
  let top = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) top = Math.max(top, logits[i] as number);
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp((logits[i] as number) - top);
  const shift = top + Math.log(sum);
  return Float64Array.from(logits, (logit) => logit - shift);
}

/**
 * Draws a token from log-probabilities raised to 1/temperature, among the likeliest tokens that hold `topP` of the probability at that
 * temperature. Temperature 0 takes the likeliest token, the first of equals.
 *
 * @param logprobs  [V], at temperature 1.
 */
export function sampleToken(
  logprobs: Float64Array,
  { temperature, topP }: { readonly temperature: number; readonly topP: number },
  random: Random,
): number {
  if (temperature === 0) return likeliest(logprobs);
  const top = logprobs[likeliest(logprobs)] as number;
  const weights = logprobs.map((logp) => Math.exp((logp - top) / temperature));
  if (topP < 1) keepNucleus(weights, topP);
  let left = random.next() * weights.reduce((a, b) => a + b, 0);
  let last = 0;
  for (let token = 0; token < weights.length; token++) {
    const weight = weights[token] as number;
    if (weight === 0) continue;
    last = token;
    left -= weight;
    if (left < 0) return token;
  }
  return last;
}

function likeliest(logprobs: Float64Array): number {
  let best = 0;
  for (let token = 1; token < logprobs.length; token++) {
    if ((logprobs[token] as number) > (logprobs[best] as number)) best = token;
  }
  return best;
}

/** Sets the weights outside the smallest set of likeliest tokens that holds `topP` of the sum to 0. */
function keepNucleus(weights: Float64Array, topP: number): void {
  const order = Array.from(weights.keys()).sort(
    (a, b) => (weights[b] as number) - (weights[a] as number) || a - b,
  );
  const enough = topP * weights.reduce((a, b) => a + b, 0);
  let held = 0;
  for (const token of order) {
    if (held >= enough) weights[token] = 0;
    else held += weights[token] as number;
  }
}
