import type { AlgorithmConfig } from '../config/types.js';
import { ownValue } from '../own-value.js';

export const LOSS_NAMES = ['importance_sampling', 'ppo', 'cispo', 'dro', 'cross_entropy'] as const;

export type LossName = (typeof LOSS_NAMES)[number];

/** A loss with its parameters settled. Clip bounds are absolute bounds of the probability ratio. */
export type Loss =
  | { readonly name: 'importance_sampling' | 'cross_entropy' }
  | { readonly name: 'ppo' | 'cispo'; readonly low: number; readonly high: number }
  | { readonly name: 'dro'; readonly beta: number };

/** Loss by estimator where the config names none, as in rLLM. */
export const DEFAULT_LOSSES: Readonly<Record<string, LossName>> & { readonly default: LossName } = {
  grpo: 'ppo',
  default: 'importance_sampling',
};

export function isLossName(name: string): name is LossName {
  return (LOSS_NAMES as readonly string[]).includes(name);
}

/** The loss of a role: `lossFnMap[role]`, else `lossFn`, else the default of the role's estimator. */
export function lossOfRole(role: string, algorithm: AlgorithmConfig): Loss {
  const estimator = ownValue(algorithm.estimatorMap, role) ?? algorithm.estimator;
  const name =
    ownValue(algorithm.lossFnMap, role) ??
    algorithm.lossFn ??
    ownValue<LossName>(DEFAULT_LOSSES, estimator) ??
    DEFAULT_LOSSES.default;
  const { clipLowThreshold, clipHighThreshold, beta } = algorithm.lossConfig;
  switch (name) {
    case 'ppo':
      return { name, low: clipLowThreshold ?? 0.8, high: clipHighThreshold ?? 1.2 };
    case 'cispo':
      return { name, low: clipLowThreshold ?? 0, high: clipHighThreshold ?? 4 };
    case 'dro':
      return { name, beta: beta ?? 0.05 };
    case 'cross_entropy':
      return { name };
    default:
      return { name: 'importance_sampling' };
  }
}

/** Two losses with the same key are the same function. */
export function lossKey(loss: Loss): string {
  return JSON.stringify(loss);
}

/** A token of a sequence that stands for all trajectories with this very sequence: sums of their advantages by sign, and their number. */
export interface TokenWeights {
  readonly positive: number;
  readonly negative: number;
  readonly count: number;
}

/**
 * Loss of one token, in float64: the definition that the compiled one is tested against, and the value that is logged.
 *
 * With r = exp(logp − q), A⁺ and A⁻ the sums of positive and negative advantages, n the number of trajectories:
 * importance_sampling −(A⁺+A⁻)·r; ppo −(A⁺·min(r, high) + A⁻·max(r, low)); cispo −clip(r, low, high)·(A⁺+A⁻)·logp with the clipped ratio held
 * constant; dro −((A⁺+A⁻)·logp − ½·beta·n·(logp−q)²); cross_entropy −(A⁺+A⁻)·logp.
 *
 * For one trajectory these are Tinker's losses: min(r·A, clip(r)·A) is A·min(r, high) for A ≥ 0 and A·max(r, low) for A ≤ 0.
 */
export function tokenLoss(loss: Loss, logp: number, sampledLogp: number, weights: TokenWeights): number {
  const ratio = Math.exp(logp - sampledLogp);
  const advantage = weights.positive + weights.negative;
  switch (loss.name) {
    case 'importance_sampling':
      return -advantage * ratio;
    case 'ppo':
      return -(weights.positive * Math.min(ratio, loss.high) + weights.negative * Math.max(ratio, loss.low));
    case 'cispo':
      return -Math.min(Math.max(ratio, loss.low), loss.high) * advantage * logp;
    case 'dro':
      return -(advantage * logp - 0.5 * loss.beta * weights.count * (logp - sampledLogp) ** 2);
    case 'cross_entropy':
      return -advantage * logp;
  }
}

/** Whether the loss clips this token's ratio for any of its trajectories, so that it has no gradient (ppo) or a bounded one (cispo). */
export function isClipped(loss: Loss, logp: number, sampledLogp: number, weights: TokenWeights): boolean {
  const ratio = Math.exp(logp - sampledLogp);
  if (loss.name === 'ppo') {
    return (weights.positive > 0 && ratio > loss.high) || (weights.negative < 0 && ratio < loss.low);
  }
  return loss.name === 'cispo' && (ratio < loss.low || ratio > loss.high);
}
