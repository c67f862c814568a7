import { type AlgorithmConfig, resolveConfig, type TrajectoryGroup } from 'rllm-sdk';
import { type GroupSketch, groupOf } from 'rllm-sdk/testing';

export const algorithm: AlgorithmConfig = resolveConfig({}).algorithm;

export interface GroupInit extends Omit<GroupSketch, 'steps'> {
  /** `tokens[i][s]`: response tokens of step s of trajectory i; by default one step of one token. */
  readonly tokens?: readonly (readonly number[])[];
}

/** A group of one task and role, as the SDK gives it to an estimator. */
export function group(rewards: readonly number[], { tokens = [], ...init }: GroupInit = {}): TrajectoryGroup {
  return groupOf(rewards, {
    role: 'solver',
    taskId: 't',
    ...init,
    steps: rewards.map((_, i) => (tokens[i] ?? [1]).map((length) => ({ tokens: length, logprobs: [] }))),
  });
}

/** Rounded to `digits` decimals, for comparison with numbers worked out by hand. */
export function rounded(groups: readonly ArrayLike<number>[], digits = 6): number[][] {
  return groups.map((own) => Array.from(own, (value) => Number(value.toFixed(digits))));
}

export function sum(values: ArrayLike<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}

/** Mean by its definition. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Std by its definition. */
export function std(values: readonly number[], ddof: 0 | 1): number {
  return Math.sqrt(sum(values.map((value) => (value - mean(values)) ** 2)) / (values.length - ddof));
}
