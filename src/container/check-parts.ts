import type { DependencyContainer } from 'tsyringe';
import type { EstimatorDescriptor } from '../advantage/index.js';
import { checkOptions } from '../check-options.js';
import { type LoadedConfig, type RllmConfig, sourceOf } from '../config/index.js';
import type { ChosenReward } from '../reward/index.js';
import { type Able, checkCapabilities } from './check-capabilities.js';
import { checkEstimators } from './check-estimators.js';
import { checkGrouping } from './check-grouping.js';
import { checkNames, faultsOf, type SettingFault } from './check-names.js';
import { chooseDatasets, type DatasetChoice } from './choose-datasets.js';
import { chooseRewards } from './choose-rewards.js';
import { namedEstimators } from './named-estimators.js';
import type { Registries } from './registries.js';
import { resolveToken } from './resolve-token.js';
import { BACKEND, CONFIG, GROUPING_HOOK, type Token, WORKFLOW } from './tokens.js';

/** What the parts that a config chooses say about it. */
export interface PartsReport {
  /** Names that nothing has, options that a part does not take, parts that cannot be built. */
  readonly settings: readonly SettingFault[];
  /** What the backend cannot honour. */
  readonly capabilities: readonly SettingFault[];
  /** What only a trainer needs and the config does not mention: a workflow, a backend with its options. */
  readonly leftOut: readonly SettingFault[];
  /** `workflow.options` as the workflow's schema gives them. */
  readonly workflowOptions: unknown;
  readonly rewards: readonly ChosenReward[];
  readonly datasets: DatasetChoice;
}

/**
 * Asks for each part that the config chooses, so that all faults are found together, before anything runs. What an override
 * has bound is asked in the same way.
 */
export async function checkParts(
  container: DependencyContainer,
  loaded: LoadedConfig,
  registries: Registries,
  validateOnly: boolean,
): Promise<PartsReport> {
  const config = resolveToken(container, CONFIG);
  const settings: SettingFault[] = [...checkNames(config, registries)];
  const leftOut: SettingFault[] = [];
  const ask = <T>(token: Token<T>, path: string, faults = settings): T | undefined => {
    try {
      return resolveToken(container, token);
    } catch (thrown) {
      faults.push(...faultsOf(thrown, path));
      return undefined;
    }
  };
  ask(GROUPING_HOOK, 'transform.groupingHook');
  settings.push(...checkGrouping(config, registries.groupingHooks));
  const estimators = new Map<string, EstimatorDescriptor>();
  for (const [path, name] of namedEstimators(config)) {
    if (!registries.estimators.has(name)) continue;
    try {
      const descriptor = registries.estimators.describe(name);
      if (descriptor !== undefined) estimators.set(path, descriptor);
    } catch (thrown) {
      settings.push(...faultsOf(thrown, path));
    }
  }
  const doesNotTrain = validateOnly || config.trainer.valOnly;
  settings.push(...(await checkEstimators(config, registries.estimators, estimators, doesNotTrain)));
  const workflow = ask(WORKFLOW, 'workflow.use', config.workflow.use === '' ? leftOut : settings);
  let workflowOptions: unknown = config.workflow.options;
  if (workflow?.options !== undefined) {
    const checked = await checkOptions(workflow.options, config.workflow.options);
    workflowOptions = checked.value;
    settings.push(...checked.problems.map(({ at, message }) => ({ path: `workflow.options${at}`, message })));
  }
  const { rewards, faults: rewardFaults } = await chooseRewards(config, registries.rewards);
  const datasets = await chooseDatasets(config, registries.datasets);
  settings.push(...rewardFaults, ...datasets.faults);
  const isBackendGiven = sourceOf(loaded, 'backend').from !== 'default';
  const backend = ask(BACKEND, 'backend.name', isBackendGiven ? settings : leftOut);
  const able = backend ?? ableWithoutOptions(config, registries);
  const capabilities = able === undefined ? [] : checkCapabilities(config, able, estimators, doesNotTrain);
  return { settings, capabilities, leftOut, workflowOptions, rewards, datasets };
}

/** What is known of a backend that could not be built, so that a wrong option does not hide a wrong loss. */
function ableWithoutOptions({ backend: { name } }: RllmConfig, { backends }: Registries): Able | undefined {
  const capabilities = backends.has(name) ? backends.get(name).capabilities : undefined;
  return capabilities === undefined ? undefined : { name, capabilities };
}
