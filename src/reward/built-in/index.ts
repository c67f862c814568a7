import type { RewardScore } from '../reward-function.js';
import { length } from './length.js';
import { solved } from './solved.js';
import { workflowReward } from './workflow-reward.js';

/** The reward functions of the SDK, marked with their names as a plugin's are. */
export const builtInRewards: readonly RewardScore[] = [workflowReward, length, solved];
