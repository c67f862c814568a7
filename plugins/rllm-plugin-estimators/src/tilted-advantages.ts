/** Added to Z in the reference, where it keeps a winner among rollouts of weight 0 from an infinite advantage. */
const EPSILON = 1e-12;

/**
 * Turns the rewards of one group, two or more of which differ, into exponentially tilted advantages, in place:
 * eᵢ = exp(β·(rᵢ − max r)), Zᵢ = mean(eⱼ, j ≠ i), Aᵢ = min(eᵢ / (Zᵢ + 1e-12) − 1, c).
 *
 * @param beta          > 0, in units of 1 / reward.
 * @param maxAdvantage  c; `null` for none.
 */
export function tiltInPlace(group: Float64Array, beta: number, maxAdvantage: number | null): void {
  const n = group.length;
  const { best, weights } = tiltedWeights(group, beta);
  // The weight of the best is 1. It is left out of the sum, and not subtracted from it: 1 + 1e-17 − 1 would be 0.
  let rest = 0;
  for (let i = 0; i < n; i++) if (i !== best) rest += weights[i] ?? Number.NaN;
  for (let i = 0; i < n; i++) {
    const own = weights[i] ?? Number.NaN;
    const others = i === best ? rest : 1 + (rest - own);
    const advantage = own / (others / (n - 1) + EPSILON) - 1;
    group[i] = maxAdvantage === null ? advantage : Math.min(advantage, maxAdvantage);
  }
}

/** eᵢ = exp(β·(rᵢ − max r)), each in [0, 1], and the first index at which it is 1. */
function tiltedWeights(
  group: Float64Array,
  beta: number,
): { readonly best: number; readonly weights: Float64Array } {
  let best = 0;
  for (let i = 1; i < group.length; i++) if ((group[i] ?? 0) > (group[best] ?? 0)) best = i;
  const max = group[best] ?? Number.NaN;
  return { best, weights: group.map((reward) => Math.exp(beta * (reward - max))) };
}
