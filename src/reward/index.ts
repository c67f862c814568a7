export { builtInRewards } from './built-in/index.js';
export {
  type Rewarder,
  type RewarderClass,
  RewardFunction,
  type RewardFunctionDecorator,
  type RewardFunctionOptions,
  type RewardInput,
  type RewardScore,
} from './reward-function.js';
export { type RewardDescriptor, RewardRegistry } from './reward-registry.js';
export { type ChosenReward, scoreEpisode } from './score-episode.js';
