import { type CheckedOptions, checkOptions, withoutOptions } from '../check-options.js';
import { type DeclaredKind, DeclaredRegistry } from '../declared-registry.js';
import type { Rewarder, RewarderClass, RewardFunctionOptions, RewardScore } from './reward-function.js';

/** What is known of a reward function without asking it to score. */
export interface RewardDescriptor {
  readonly name: string;
  readonly summary: string;
  readonly owner: string;
}

const REWARD_FUNCTION: DeclaredKind<RewardScore, Rewarder, RewardFunctionOptions> = {
  kind: 'rewardFunction',
  title: 'reward function',
  method: 'score',
  threw: 'REWARD_FAILED',
  fromFunction: (score) => ({ score }),
  fromInstance: (instance) => (isRewarder(instance) ? instance : undefined),
};

/** The reward functions of one app, by name. */
export class RewardRegistry extends DeclaredRegistry<
  RewarderClass,
  RewardScore,
  Rewarder,
  RewardFunctionOptions
> {
  /** @param options.construct  makes an instance of a class, by default with `new` and no arguments. */
  constructor(options: { readonly construct?: (cls: RewarderClass) => Rewarder } = {}) {
    super(REWARD_FUNCTION, options.construct);
  }

  /** All reward functions in the order of their names' first mention; constructs none. */
  list(): RewardDescriptor[] {
    return this.entries().map(({ name, owner, value }) => ({
      name,
      summary: value.options.summary ?? '',
      owner,
    }));
  }

  /** Options as the function's own schema gives them; some for one that takes none are a problem. @throws RllmError UNKNOWN_NAME */
  async checkOptions(name: string, given: Readonly<Record<string, unknown>>): Promise<CheckedOptions> {
    const schema = this.entry(name).value.options.options;
    return schema === undefined
      ? withoutOptions(given, 'this reward function takes no options')
      : checkOptions(schema, given);
  }
}

function isRewarder(value: unknown): value is Rewarder {
  return typeof value === 'object' && value !== null && 'score' in value && typeof value.score === 'function';
}
