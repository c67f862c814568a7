import type { RewardScore } from '../reward-function.js';
import { declareBuiltInReward } from './declare-built-in-reward.js';

declare module '../../config/names.js' {
  interface RewardOptionsMap {
    length: NoOptions;
  }
}

/** Sampled tokens of all steps of the trajectory, so that a negative weight is a price per token. */
export const length: RewardScore = declareBuiltInReward(
  'length',
  { summary: 'response tokens of the trajectory; a negative weight makes them cost' },
  ({ trajectory }) => trajectory.steps.reduce((sum, { responseIds }) => sum + responseIds.length, 0),
);
