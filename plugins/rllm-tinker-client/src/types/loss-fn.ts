/**
 * The losses of the protocol. With logp the current log-prob of a target, q the `logprobs` given, A the `advantages`, r = exp(logp − q):
 *
 * - `cross_entropy`: −Σ w·logp, with w the `weights`
 * - `importance_sampling`: −Σ r·A
 * - `ppo`: −Σ min(r·A, clip(r, lo, hi)·A)
 * - `cispo`: −Σ sg(clip(r, lo, hi))·logp·A, with sg the stop-gradient
 * - `dro`: −Σ (logp·A − ½·beta·(logp − q)²)
 *
 * lo and hi are `clip_low_threshold` and `clip_high_threshold` of the loss config: bounds of the ratio itself, not distances from 1.
 */
export type LossFn = 'cross_entropy' | 'importance_sampling' | 'ppo' | 'cispo' | 'dro';

/** Numbers that a loss takes besides its inputs, by the protocol's names, such as `{ clip_low_threshold: 0.8 }`. */
export type LossConfig = Readonly<Record<string, number>>;
