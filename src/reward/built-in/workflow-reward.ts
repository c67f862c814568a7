import { RllmError } from '../../errors.js';
import type { RewardScore } from '../reward-function.js';
import { declareBuiltInReward } from './declare-built-in-reward.js';

declare module '../../config/names.js' {
  interface RewardOptionsMap {
    workflow: NoOptions;
  }
}

/** The reward that the workflow set on the trajectory, else the sum of its step rewards. @throws RllmError REWARD_MISSING without either. */
export const workflowReward: RewardScore = declareBuiltInReward(
  'workflow',
  { summary: 'what the workflow gave: the reward of the trajectory, else the sum of its steps' },
  ({ trajectory, episode: { taskId, rolloutIndex } }) => {
    const { name, reward, steps } = trajectory;
    if (reward !== undefined) return reward;
    if (steps.length > 0) return steps.reduce((sum, step) => sum + step.reward, 0);
    throw new RllmError(
      'REWARD_MISSING',
      `The workflow gave role "${name}" neither a reward nor a step, in rollout ${rolloutIndex} of task ${JSON.stringify(taskId)}.`,
    );
  },
);
