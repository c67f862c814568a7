import type { EstimateFunction, EstimatorClass } from '../advantage/estimator.js';
import type { BackendDefinition } from '../backend/index.js';
import type { RllmConfig } from '../config/types.js';
import type { DatasetSource } from '../data/dataset-source.js';
import type { GroupingHook, GroupingHookClass } from '../grouping/grouping-hook.js';
import type { Logger } from '../logger.js';
import type { RewarderClass, RewardScore } from '../reward/reward-function.js';
import type { StandardSchema } from '../standard-schema.js';
import type { TrackerDefinition } from '../tracking/index.js';
import type { LifecycleHooks } from '../types/index.js';
import type { WorkflowDefinition } from '../workflow/workflow.js';
import type { CommandDefinition } from './command.js';

/** Version of this contract. A plugin that names another is refused before it runs. */
export const PLUGIN_API_VERSION = 1;

/** Names a part; `Symbol.for('my-plugin/Part')`, so that two copies of a plugin mean the same. */
export type PluginToken<T> = symbol & { readonly [PART]?: T };
declare const PART: unique symbol;

export interface BindOptions {
  /** Takes the place of what is bound to the token. */
  readonly override?: boolean;
}

/** What `setup` is given: enough to add parts that depend on options, and no container. */
export interface PluginContext<Options = unknown> {
  readonly options: Options;
  readonly config: RllmConfig;
  readonly logger: Logger;
  addEstimator(estimator: EstimatorClass | EstimateFunction): void;
  addGroupingHook(hook: GroupingHook | GroupingHookClass): void;
  addBackend(backend: BackendDefinition): void;
  addWorkflow(workflow: WorkflowDefinition): void;
  addReward(reward: RewarderClass | RewardScore): void;
  addDataset(source: DatasetSource): void;
  addTracker(tracker: TrackerDefinition): void;
  addCommand(command: CommandDefinition): void;
  addHooks(hooks: LifecycleHooks): void;
  /**
   * Binds a part of the plugin's own, for classes that ask for it by `@inject(TOKEN)` or `static inject`: a value, or what
   * `make` returns when it is first needed. A token that is bound already needs `override: true`.
   */
  bind<T>(
    token: PluginToken<T>,
    part: { readonly value: T } | { readonly make: () => T },
    options?: BindOptions,
  ): void;
  /** Called when the app is disposed, last in first out; at once when it is disposed already. */
  onDispose(dispose: () => void | Promise<void>): void;
}

/** A plugin as a plain object. Estimators and grouping hooks carry their names by decorator. */
export interface PluginDefinition<Options = unknown> {
  readonly name: string;
  readonly apiVersion: number;
  readonly version?: string;
  readonly options?: StandardSchema<unknown, Options>;
  readonly estimators?: readonly (EstimatorClass | EstimateFunction)[];
  readonly groupingHooks?: readonly (GroupingHook | GroupingHookClass)[];
  readonly backends?: readonly BackendDefinition[];
  readonly workflows?: readonly WorkflowDefinition[];
  readonly rewards?: readonly (RewarderClass | RewardScore)[];
  readonly datasets?: readonly DatasetSource[];
  readonly trackers?: readonly TrackerDefinition[];
  readonly commands?: readonly CommandDefinition[];
  readonly hooks?: LifecycleHooks;
  setup?(context: PluginContext<Options>): void | Promise<void>;
}
