/** Statistics over ragged groups of numbers, in float64. A single group goes in as `[group]`. */

/** Whether all values of all groups are equal; true for none and for one. Says so exactly, where a std has float noise. */
export function isUniform(groups: readonly ArrayLike<number>[]): boolean {
  const first = groups.find(({ length }) => length > 0)?.[0];
  for (const group of groups) {
    for (let i = 0; i < group.length; i++) if (group[i] !== first) return false;
  }
  return true;
}

/** Rewards that are sums of a few others differ by less than this share of their size where they are meant to be equal. */
export const NOISE = 1e-12;

/** Whether all values of all groups are those of the first, up to float noise: 1e-12 of the larger of the two. */
export function isUniformUpToNoise(groups: readonly ArrayLike<number>[]): boolean {
  const first = groups.find(({ length }) => length > 0)?.[0] ?? Number.NaN;
  for (const group of groups) {
    for (let i = 0; i < group.length; i++) {
      const value = group[i] ?? Number.NaN;
      if (Math.abs(value - first) > NOISE * Math.max(Math.abs(value), Math.abs(first))) return false;
    }
  }
  return true;
}

export function countOf(groups: readonly ArrayLike<number>[]): number {
  let count = 0;
  for (const { length } of groups) count += length;
  return count;
}

/**
 * Mean of n ≥ 1 values. A second pass adds the mean of what the first one left over, so that values of a million with
 * differences of one keep their digits. Values whose sum is beyond float64 are added in shares.
 */
export function meanOf(groups: readonly ArrayLike<number>[]): number {
  const count = countOf(groups);
  const sum = sumAbout(groups, 0);
  const mean = Number.isFinite(sum) ? sum / count : meanOfShares(groups, count);
  return mean + sumAbout(groups, mean) / count;
}

function meanOfShares(groups: readonly ArrayLike<number>[], count: number): number {
  let mean = 0;
  for (const group of groups) for (let i = 0; i < group.length; i++) mean += (group[i] ?? Number.NaN) / count;
  return mean;
}

function sumAbout(groups: readonly ArrayLike<number>[], centre: number): number {
  let sum = 0;
  for (const group of groups) {
    for (let i = 0; i < group.length; i++) sum += (group[i] ?? Number.NaN) - centre;
  }
  return sum;
}

/**
 * √(Σ(x − centre)² / (n − ddof)), never by E[x²] − E[x]², which cancels.
 *
 * @param ddof  0 for the population's std (numpy), 1 for the sample's (torch); n must be larger.
 */
export function deviationOf(groups: readonly ArrayLike<number>[], centre: number, ddof: 0 | 1): number {
  const divisor = countOf(groups) - ddof;
  const squares = squaresAbout(groups, centre, 1);
  if (squares > 1e-280 && squares < Number.POSITIVE_INFINITY) return Math.sqrt(squares / divisor);
  // Squares of rewards as small as 1e-160 vanish and of 1e160 overflow; in units of the largest they do neither.
  let largest = 0;
  for (const group of groups) {
    for (let i = 0; i < group.length; i++) {
      largest = Math.max(largest, Math.abs((group[i] ?? Number.NaN) - centre));
    }
  }
  return largest === 0 ? 0 : largest * Math.sqrt(squaresAbout(groups, centre, largest) / divisor);
}

function squaresAbout(groups: readonly ArrayLike<number>[], centre: number, unit: number): number {
  let squares = 0;
  for (const group of groups) {
    for (let i = 0; i < group.length; i++) {
      const deviation = ((group[i] ?? Number.NaN) - centre) / unit;
      squares += deviation * deviation;
    }
  }
  return squares;
}
