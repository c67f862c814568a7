/** Settings of one Adam step. */
export interface AdamSettings {
  readonly learningRate: number;
  /** Weights from an offset on that have a learning rate of their own. */
  readonly tail?: { readonly offset: number; readonly learningRate: number };
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  /** Decoupled, as in AdamW: weights shrink by `learningRate·weightDecay` before the step. */
  readonly weightDecay: number;
  /** Bound of the gradient's L2 norm; `null` for none. */
  readonly maxGradNorm: number | null;
  /** 1-based count of Adam steps, for bias correction. */
  readonly step: number;
}

/** Weights and moments, flat and of one length. Changed in place. */
export interface AdamState {
  readonly weights: Float32Array;
  readonly firstMoment: Float32Array;
  readonly secondMoment: Float32Array;
}

/**
 * One step of Adam with bias correction, after scaling the gradient down to `maxGradNorm`:
 * m = β₁m + (1−β₁)g, v = β₂v + (1−β₂)g², w −= lr·m̂/(√v̂ + eps).
 *
 * Computed in float64, kept in float32. Where the norm is not finite nothing is changed, and the caller decides.
 *
 * @param gradient  read only.
 * @returns         the gradient's L2 norm before clipping.
 * @see Kingma & Ba 2015, https://arxiv.org/abs/1412.6980; Loshchilov & Hutter 2019, https://arxiv.org/abs/1711.05101
 */
export function adamStep(state: AdamState, gradient: Float32Array, settings: AdamSettings): number {
  const { weights, firstMoment, secondMoment } = state;
  const { beta1, beta2, eps, maxGradNorm, step, tail } = settings;
  const norm = l2Norm(gradient);
  if (!Number.isFinite(norm)) return norm;
  const clip = maxGradNorm !== null && norm > maxGradNorm ? maxGradNorm / norm : 1;
  const correction1 = 1 / (1 - beta1 ** step);
  const correction2 = 1 / (1 - beta2 ** step);
  const move = (from: number, to: number, learningRate: number): void => {
    const decay = 1 - learningRate * settings.weightDecay;
    for (let i = from; i < to; i++) {
      const g = (gradient[i] as number) * clip;
      const m = beta1 * (firstMoment[i] as number) + (1 - beta1) * g;
      const v = beta2 * (secondMoment[i] as number) + (1 - beta2) * g * g;
      firstMoment[i] = m;
      secondMoment[i] = v;
      weights[i] =
        decay * (weights[i] as number) -
        (learningRate * m * correction1) / (Math.sqrt(v * correction2) + eps);
    }
  };
  const tailStart = tail?.offset ?? gradient.length;
  move(0, tailStart, settings.learningRate);
  if (tail !== undefined) move(tailStart, gradient.length, tail.learningRate);
  return norm;
}

function l2Norm(values: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] as number) ** 2;
  return Math.sqrt(sum);
}
