/** Statistics of plain numbers, in float64. Every std is the population's (÷n), as rLLM's `np.std`; torch divides by n − 1. */

/**
 * Mean of n ≥ 1 values. A second pass adds the mean of what the first one left over, so that values of a million with
 * differences of one keep their digits. Values whose sum is beyond float64 are added in shares.
 *
 * @param from  of a longer list only the values from here, here and in the other functions,
 * @param to    up to here, without it.
 */
export function meanOf(values: ArrayLike<number>, from = 0, to: number = values.length): number {
  const n = to - from;
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i] as number;
  const mean = Number.isFinite(sum) ? sum / n : meanOfShares(values, from, to);
  let rest = 0;
  for (let i = from; i < to; i++) rest += (values[i] as number) - mean;
  return mean + rest / n;
}

function meanOfShares(values: ArrayLike<number>, from: number, to: number): number {
  let mean = 0;
  for (let i = from; i < to; i++) mean += (values[i] as number) / (to - from);
  return mean;
}

/**
 * Population std of n ≥ 1 values about their mean, in two passes: never E[x²] − E[x]², which cancels. Squares beyond float64 are
 * taken in units of the largest difference; a difference beyond it, of values over 8e307, gives no number.
 */
export function stdOf(
  values: ArrayLike<number>,
  mean: number = meanOf(values),
  from = 0,
  to: number = values.length,
): number {
  const n = to - from;
  let squares = 0;
  for (let i = from; i < to; i++) {
    const d = (values[i] as number) - mean;
    squares += d * d;
  }
  return squares === Number.POSITIVE_INFINITY ? stdInUnits(values, mean, from, to) : Math.sqrt(squares / n);
}

function stdInUnits(values: ArrayLike<number>, mean: number, from: number, to: number): number {
  let largest = 0;
  for (let i = from; i < to; i++) largest = Math.max(largest, Math.abs((values[i] as number) - mean));
  let squares = 0;
  for (let i = from; i < to; i++) squares += (((values[i] as number) - mean) / largest) ** 2;
  return largest * Math.sqrt(squares / (to - from));
}

/** Whether all values are equal; true for none and for one. Says so exactly, where a std has float noise. */
export function isUniform(values: ArrayLike<number>, from = 0, to: number = values.length): boolean {
  const first = values[from];
  for (let i = from + 1; i < to; i++) if (values[i] !== first) return false;
  return true;
}

/** Rewards that are sums of a few others differ by less than this share of their size where they are meant to be equal. */
const NOISE = 1e-12;

/** Whether all values are those of the first, up to float noise: 1e-12 of the larger of the two. */
export function isUniformUpToNoise(values: ArrayLike<number>): boolean {
  const first = values[0] as number;
  for (let i = 1; i < values.length; i++) {
    const value = values[i] as number;
    if (Math.abs(value - first) > NOISE * Math.max(Math.abs(value), Math.abs(first))) return false;
  }
  return true;
}

export interface Summary {
  readonly mean: number;
  readonly std: number;
  readonly max: number;
  readonly min: number;
}

/** Mean, population std, largest and smallest of n ≥ 1 values; exactly std 0 when all are equal. */
export function summarize(values: ArrayLike<number>, from = 0, to: number = values.length): Summary {
  let max = Number.NEGATIVE_INFINITY;
  let min = Number.POSITIVE_INFINITY;
  for (let i = from; i < to; i++) {
    const value = values[i] as number;
    if (value > max) max = value;
    if (value < min) min = value;
  }
  if (max === min) return { mean: max + 0, std: 0, max: max + 0, min: min + 0 };
  const mean = meanOf(values, from, to);
  return { mean, std: stdOf(values, mean, from, to), max, min };
}

/**
 * Percentile of n ≥ 1 values by linear interpolation between the two nearest ranks, as `numpy.percentile` by default:
 * the value at rank (n − 1)·p/100 of the sorted values.
 *
 * @param sorted   ascending.
 * @param percent  in [0, 100].
 */
export function percentileOf(sorted: ArrayLike<number>, percent: number): number {
  const rank = ((sorted.length - 1) * percent) / 100;
  const below = Math.floor(rank);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (rank - below);
}
