import type { RewardScore } from '../reward-function.js';
import { declareBuiltInReward } from './declare-built-in-reward.js';

declare module '../../config/names.js' {
  interface RewardOptionsMap {
    solved: NoOptions;
  }
}

/** 1 for every trajectory of an episode that is correct by the workflow's word or by the workflow's own rewards, else 0. */
export const solved: RewardScore = declareBuiltInReward(
  'solved',
  { summary: '1 when the workflow has the episode as correct, else 0' },
  ({ episode }) => (episode.isCorrect ? 1 : 0),
);
