import type { FloatArray } from './float-array.js';

/** What the engine computed on one datum. */
export interface LossOutput {
  /** Log-prob of each target under the current weights, one per position. */
  readonly logprobs: FloatArray;
  /** Loss of each position, where the engine reports it (tx does). */
  readonly elementwiseLoss?: FloatArray;
}

/** Result of forward and forward_backward, whatever number of requests it took. */
export interface ForwardResult {
  /** One per datum, in their order. */
  readonly outputs: readonly LossOutput[];
  /** The engine's metrics by its own names, such as `loss:sum`; empty on tx. */
  readonly metrics: Readonly<Record<string, number>>;
}
