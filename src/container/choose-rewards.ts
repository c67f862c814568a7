import type { RllmConfig } from '../config/index.js';
import type { ChosenReward, RewardRegistry } from '../reward/index.js';
import { faultsOf, type SettingFault, unknownName } from './check-names.js';

/** The reward functions that a config names. */
export interface RewardChoice {
  /** In the order of the config; those with a fault are left out. */
  readonly rewards: readonly ChosenReward[];
  /** Names that nothing has, options that a function does not take, classes that cannot be constructed. */
  readonly faults: readonly SettingFault[];
}

export async function chooseRewards({ reward }: RllmConfig, registry: RewardRegistry): Promise<RewardChoice> {
  const rewards: ChosenReward[] = [];
  const faults: SettingFault[] = [];
  for (const [i, { use, name, weight, roles, options }] of reward.functions.entries()) {
    const path = `reward.functions[${i}]`;
    if (!registry.has(use)) {
      faults.push(...unknownName('reward function', use, `${path}.use`, registry.names()));
      continue;
    }
    const checked = await registry.checkOptions(use, options);
    faults.push(...checked.problems.map(({ at, message }) => ({ path: `${path}.options${at}`, message })));
    try {
      const part = registry.partOf(use);
      const chosen = { name: name ?? use, weight, roles, options: checked.value, part };
      rewards.push({ ...chosen, rewarder: registry.get(use) });
    } catch (thrown) {
      faults.push(...faultsOf(thrown, `${path}.use`));
    }
  }
  return { rewards, faults };
}
