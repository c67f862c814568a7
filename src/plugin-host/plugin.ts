import type { EstimateFunction, EstimatorClass } from '../advantage/estimator.js';
import type { BackendDefinition } from '../backend/index.js';
import type { RllmConfig } from '../config/types.js';
import type { GroupingHook } from '../grouping/grouping-hook.js';
import type { Logger } from '../logger.js';
import type { StandardSchema } from '../standard-schema.js';
import type { TrackerDefinition } from '../tracking/index.js';
import type { LifecycleHooks } from '../types/index.js';
import type { WorkflowDefinition } from '../workflow/workflow.js';

/** Version of this contract. A plugin that names another is refused before it runs. */
export const PLUGIN_API_VERSION = 1;

/** What `setup` is given: enough to add parts that depend on options, and no container. */
export interface PluginContext<Options = unknown> {
  readonly options: Options;
  readonly config: RllmConfig;
  readonly logger: Logger;
  addEstimator(estimator: EstimatorClass | EstimateFunction): void;
  addGroupingHook(hook: GroupingHook): void;
  addBackend(backend: BackendDefinition): void;
  addWorkflow(workflow: WorkflowDefinition): void;
  addTracker(tracker: TrackerDefinition): void;
  addHooks(hooks: LifecycleHooks): void;
  /** Called when the app is disposed, last in first out. */
  onDispose(dispose: () => void | Promise<void>): void;
}

/** A plugin as a plain object. Estimators and grouping hooks carry their names by decorator. */
export interface PluginDefinition<Options = unknown> {
  readonly name: string;
  readonly apiVersion: number;
  readonly version?: string;
  readonly options?: StandardSchema<unknown, Options>;
  readonly estimators?: readonly (EstimatorClass | EstimateFunction)[];
  readonly groupingHooks?: readonly GroupingHook[];
  readonly backends?: readonly BackendDefinition[];
  readonly workflows?: readonly WorkflowDefinition[];
  readonly trackers?: readonly TrackerDefinition[];
  readonly hooks?: LifecycleHooks;
  setup?(context: PluginContext<Options>): void | Promise<void>;
}
