import { mark } from '../../declarations.js';
import type { RewardFunctionOptions, RewardScore } from '../reward-function.js';

/** Marks a function as `RewardFunction(name, options)(fn)` would, without listing it; see `declareBuiltIn` of the estimators. */
export function declareBuiltInReward(
  name: string,
  options: RewardFunctionOptions,
  fn: RewardScore,
): RewardScore {
  mark({
    kind: 'rewardFunction',
    name,
    form: 'function',
    target: fn,
    override: false,
    options: { ...options },
  });
  return fn;
}
