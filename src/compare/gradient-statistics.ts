/** A number from a sample, with the standard error that it has from being one. */
export interface Measured {
  readonly value: number;
  readonly standardError: number;
}

/** How far the gradient of one batch is from the true one, on average and by chance. */
export interface GradientStatistics {
  /** Gradients that were sampled. */
  readonly batches: number;
  /** Mean gradient m, shape [D]. */
  readonly mean: readonly number[];
  /** ‖m − t‖ / ‖t‖. The standard error is what an unbiased estimator would show: √(variance / batches) / ‖t‖. */
  readonly bias: Measured;
  /** Some component of m is more than 4 standard errors from the truth. */
  readonly isBiased: boolean;
  /** ‖m‖ / ‖t‖: 2 acts as twice the learning rate. */
  readonly normRatio: Measured;
  /** Between m and t; null when m is 0. */
  readonly cosine: Measured | null;
  /** Trace of the covariance of a batch's gradient (÷(B − 1)). */
  readonly variance: Measured;
  /** √variance / ‖m‖: the noise of one batch at equal scale, smaller is better; null when m is 0. */
  readonly noise: number | null;
}

/** Differences of float64 sums, and not of estimators. */
const ROUNDING = 1e-12;
const SIGMAS = 4;

/**
 * @param samples  gradients, flat, shape [B, D], B ≥ 2.
 * @param truth    the true gradient t, shape [D], not 0.
 */
export function gradientStatistics(samples: Float64Array, truth: Float64Array): GradientStatistics {
  const size = truth.length;
  const batches = samples.length / size;
  const mean = new Float64Array(size);
  for (let at = 0; at < samples.length; at++) {
    mean[at % size] = (mean[at % size] as number) + (samples[at] as number) / batches;
  }
  const squares = new Float64Array(size);
  const spreads = new Float64Array(batches);
  for (let b = 0; b < batches; b++) {
    let spread = 0;
    for (let d = 0; d < size; d++) {
      const off = (samples[b * size + d] as number) - (mean[d] as number);
      squares[d] = (squares[d] as number) + off * off;
      spread += off * off;
    }
    spreads[b] = spread;
  }
  const unbiased = batches / (batches - 1);
  const spread = sampleOf(spreads);
  const variance = { value: spread.mean * unbiased, standardError: spread.standardError * unbiased };
  const norm = lengthOf(truth);
  const ownNorm = lengthOf(mean);
  const off = mean.map((value, d) => value - (truth[d] as number));
  const isZero = ownNorm <= ROUNDING * norm;
  return {
    batches,
    mean: Array.from(mean),
    bias: { value: lengthOf(off) / norm, standardError: Math.sqrt(variance.value / batches) / norm },
    isBiased: off.some((difference, d) => {
      const standardError = Math.sqrt(((squares[d] as number) * unbiased) / batches / batches);
      return Math.abs(difference) > Math.max(SIGMAS * standardError, ROUNDING * norm);
    }),
    normRatio: {
      value: ownNorm / norm,
      standardError: isZero ? 0 : along(samples, mean, 1 / (ownNorm * norm)),
    },
    cosine: isZero ? null : cosineOf(samples, mean, truth),
    variance,
    noise: isZero ? null : Math.sqrt(variance.value) / ownNorm,
  };
}

/** By the delta method: the gradient of cos(m, t) in m is (t/‖t‖ − cos · m/‖m‖) / ‖m‖. */
function cosineOf(samples: Float64Array, mean: Float64Array, truth: Float64Array): Measured {
  const ownNorm = lengthOf(mean);
  const norm = lengthOf(truth);
  const value = dot(mean, truth) / (ownNorm * norm);
  const slope = truth.map((t, d) => t / norm - (value * (mean[d] as number)) / ownNorm);
  return { value, standardError: along(samples, slope, 1 / ownNorm) };
}

/** Standard error of the mean of `scale · ⟨sample, direction⟩`. */
function along(samples: Float64Array, direction: Float64Array, scale: number): number {
  const size = direction.length;
  const projections = Float64Array.from({ length: samples.length / size }, (_none, b) => {
    return scale * dot(samples.subarray(b * size, (b + 1) * size), direction);
  });
  return sampleOf(projections).standardError;
}

function sampleOf(values: Float64Array): { readonly mean: number; readonly standardError: number } {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, standardError: Math.sqrt(squares / (n - 1) / n) };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += (a[d] as number) * (b[d] as number);
  return sum;
}

function lengthOf(vector: Float64Array): number {
  return Math.sqrt(dot(vector, vector));
}
