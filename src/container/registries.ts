import type { EstimatorRegistry } from '../advantage/index.js';
import type { BackendDefinition } from '../backend/index.js';
import type { DatasetSource } from '../data/index.js';
import type { Declaration } from '../declarations.js';
import type { GroupingHookRegistry } from '../grouping/index.js';
import type { CommandDefinition } from '../plugin-host/index.js';
import type { Registry } from '../registry.js';
import type { RewardRegistry } from '../reward/index.js';
import type { TrackerDefinition } from '../tracking/index.js';
import type { WorkflowDefinition } from '../workflow/index.js';

/** All that an app can choose from, by kind and name. Frozen once the app is created. */
export interface Registries {
  readonly estimators: EstimatorRegistry;
  readonly groupingHooks: GroupingHookRegistry;
  readonly backends: Registry<BackendDefinition>;
  readonly workflows: Registry<WorkflowDefinition>;
  readonly rewards: RewardRegistry;
  readonly datasets: Registry<DatasetSource>;
  readonly trackers: Registry<TrackerDefinition>;
  /** Commands of `rllm` that plugins bring. */
  readonly commands: Registry<CommandDefinition>;
}

export function freezeAll(registries: Registries): void {
  for (const registry of Object.values(registries)) registry.freeze();
}

/** @throws RllmError DUPLICATE_NAME, REGISTRY_FROZEN */
export function addDeclaration(declaration: Declaration, owner: string, registries: Registries): void {
  if (declaration.kind === 'estimator') registries.estimators.add(declaration, owner);
  else if (declaration.kind === 'groupingHook') registries.groupingHooks.add(declaration, owner);
  else if (declaration.kind === 'rewardFunction') registries.rewards.add(declaration, owner);
  else {
    const { name, target, override } = declaration;
    registries.workflows.add(name, target as WorkflowDefinition, owner, { override });
  }
}
