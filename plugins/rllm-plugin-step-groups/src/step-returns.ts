import type { Trajectory } from 'rllm-sdk';

/**
 * Discounted return of each step: G_s = r_s + γ·G_{s+1}, with G = 0 after the last step.
 *
 * | | here | verl-agent (GiGPO) | workflow.gamma of the SDK |
 * | --- | --- | --- | --- |
 * | order | the order of the steps | the order of the rows, which must be that of the steps | the order of the steps |
 * | rewards [0, 0, 1], γ = 0.5 | [0.25, 0.5, 1] | the same, in float32 | the same, written to the steps |
 *
 * @param rewards  reward of each step in order, shape [S]; not modified.
 * @param gamma    discount per step, in [0, 1].
 * @returns        shape [S].
 */
export function discountedReturns(rewards: readonly number[], gamma: number): number[] {
  const returns = rewards.slice();
  for (let s = returns.length - 2; s >= 0; s--) {
    returns[s] = (returns[s] as number) + gamma * (returns[s + 1] as number);
  }
  return returns;
}

/** Less than this share of the rewards is float noise of adding them up. */
const NOISE = 1e-12;

/**
 * Rewards of the steps of a trajectory such that they sum to its reward: those that its workflow gave them, and on the last step
 * what its reward has beyond their sum. So an outcome that was set on the trajectory alone, a length penalty or a clipped reward
 * reaches the returns of all its steps, and with γ = 1 the return of the first step is the trajectory's reward.
 *
 * Rewards [0, 0, 0] of steps and the reward 1 give [0, 0, 1]; [1, 0] and 1 stay; [1, 0] and 0.8 give [1, −0.2].
 *
 * @param reward  the trajectory's reward as the estimator is given it; undefined keeps the steps' own.
 * @returns       shape [S].
 */
export function stepRewards({ steps }: Trajectory, reward: number | undefined): number[] {
  const rewards = steps.map((step) => step.reward);
  const last = rewards.length - 1;
  if (reward === undefined || last < 0) return rewards;
  let sum = 0;
  let size = Math.abs(reward);
  for (const own of rewards) {
    sum += own;
    size += Math.abs(own);
  }
  const rest = reward - sum;
  if (Math.abs(rest) > NOISE * size) rewards[last] = (rewards[last] as number) + rest;
  return rewards;
}
