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

/** How a token is chosen. */
export interface TokenChoice {
  /** Probabilities are raised to 1/temperature; 0 takes the likeliest token, the first of equals. */
  readonly temperature: number;
  /** Only the likeliest tokens that hold this much of the probability, at that temperature, are drawn from. */
  readonly topP: number;
}

/** Running sums of the unnormalised weights by which tokens are drawn, [V], from their log-probabilities at temperature 1. */
export function cumulativeWeights(logprobs: Float64Array, { temperature, topP }: TokenChoice): Float64Array {
  const best = likeliest(logprobs);
  const top = logprobs[best] as number;
  const weights = logprobs.map((logp, token) =>
    temperature === 0 ? Number(token === best) : Math.exp((logp - top) / temperature),
  );
  if (topP < 1) keepNucleus(weights, topP);
  let sum = 0;
  return weights.map((weight) => {
    sum += weight;
    return sum;
  });
}

/** Draws a token. */
export function drawToken(cumulative: Float64Array, random: Random): number {
  const point = random.next() * (cumulative.at(-1) ?? 0);
  const token = cumulative.findIndex((sum) => sum > point);
  // Rounding may put the point at the very end: then the last token that has weight.
  return token === -1 ? cumulative.indexOf(cumulative.at(-1) ?? 0) : token;
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
