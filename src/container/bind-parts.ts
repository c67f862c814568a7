import 'reflect-metadata';
import { type DependencyContainer, instanceCachingFactory, container as processContainer } from 'tsyringe';
import { EstimatorRegistry } from '../advantage/index.js';
import type { RllmConfig } from '../config/index.js';
import { RllmError } from '../errors.js';
import { GroupingHookRegistry, ownedHook } from '../grouping/index.js';
import type { Logger } from '../logger.js';
import { Registry } from '../registry.js';
import { RewardRegistry } from '../reward/index.js';
import { SYSTEM_CLOCK } from '../workflow/clock.js';
import type { SettingFault } from './check-names.js';
import { constructClass } from './construct-class.js';
import type { Registries } from './registries.js';
import { resolveToken } from './resolve-token.js';
import {
  BACKENDS,
  CLOCK,
  COMMANDS,
  CONFIG,
  DATASETS,
  ESTIMATORS,
  GROUPING_HOOK,
  GROUPING_HOOKS,
  LOGGER,
  NOW,
  REWARDS,
  type Token,
  TRACKERS,
  WORKFLOW,
  WORKFLOWS,
} from './tokens.js';

/** A container for one app, with everything bound that needs no other part of the app to be open. */
export function createBindings(config: RllmConfig, logger: Logger): DependencyContainer {
  const container = processContainer.createChildContainer();
  container.registerInstance(CONFIG, config);
  container.registerInstance(LOGGER, logger);
  container.registerInstance(CLOCK, SYSTEM_CLOCK);
  container.registerInstance(NOW, () => performance.timeOrigin + performance.now());
  const construct = <T>(target: abstract new (...args: never[]) => T): T => constructClass(container, target);
  bindOnce(container, ESTIMATORS, () => new EstimatorRegistry({ construct }));
  bindOnce(container, GROUPING_HOOKS, () => new GroupingHookRegistry({ construct }));
  bindOnce(container, BACKENDS, () => new Registry('backend'));
  bindOnce(container, WORKFLOWS, () => new Registry('workflow'));
  bindOnce(container, REWARDS, () => new RewardRegistry({ construct }));
  bindOnce(container, DATASETS, () => new Registry('dataset source'));
  bindOnce(container, COMMANDS, () => new Registry('command'));
  bindOnce(container, TRACKERS, () => new Registry('tracker'));
  bindOnce(container, GROUPING_HOOK, () => {
    const { groupingHook: name } = resolveToken(container, CONFIG).transform;
    const hooks = resolveToken(container, GROUPING_HOOKS);
    const hook = hooks.get(name);
    // The default hook is told by its identity.
    return hooks.entry(name).owner === 'built-in' ? hook : ownedHook(hook, hooks.partOf(name));
  });
  bindOnce(container, WORKFLOW, () => {
    const { use } = resolveToken(container, CONFIG).workflow;
    if (use !== '') return resolveToken(container, WORKFLOWS).get(use);
    const known = resolveToken(container, WORKFLOWS).names();
    throw new RllmError('CONFIG_INVALID', 'No workflow is named.', {
      details: { faults: [noWorkflow(known)] },
    });
  });
  return container;
}

function noWorkflow(known: readonly string[]): SettingFault {
  const expected = known.length === 0 ? 'one given in code, or by a plugin' : [...known].sort().join(' | ');
  return { path: 'workflow.use', message: 'no workflow is named', expected };
}

/** Binds a token to what `make` returns when the part is first needed. A later binding of the token wins. */
export function bindOnce<T>(container: DependencyContainer, token: Token<T>, make: () => T): void {
  container.register<T>(token, { useFactory: instanceCachingFactory<T>(make) });
}

export function registriesOf(container: DependencyContainer): Registries {
  return {
    estimators: resolveToken(container, ESTIMATORS),
    groupingHooks: resolveToken(container, GROUPING_HOOKS),
    backends: resolveToken(container, BACKENDS),
    workflows: resolveToken(container, WORKFLOWS),
    rewards: resolveToken(container, REWARDS),
    datasets: resolveToken(container, DATASETS),
    trackers: resolveToken(container, TRACKERS),
    commands: resolveToken(container, COMMANDS),
  };
}
