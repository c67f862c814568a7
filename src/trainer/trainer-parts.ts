import type { EstimatorRegistry } from '../advantage/index.js';
import type { Backend } from '../backend/index.js';
import type { RllmConfig } from '../config/types.js';
import type { Dataset } from '../data/index.js';
import type { GroupingHook } from '../grouping/index.js';
import type { Logger } from '../logger.js';
import type { TrackerDefinition } from '../tracking/index.js';
import type { Json } from '../types/index.js';
import type { Clock, WorkflowEngine } from '../workflow/index.js';
import type { PluginHooks } from './lifecycle.js';
import type { RunFolder } from './run-folder.js';

/** What a trainer is made of; the container joins it. */
export interface TrainerParts {
  readonly config: RllmConfig;
  readonly estimators: EstimatorRegistry;
  readonly groupingHook: GroupingHook;
  /** Started before the trainer is asked to do anything with it. */
  readonly backend: Backend;
  readonly engine: WorkflowEngine;
  readonly trackers: readonly TrackerDefinition[];
  /** What trackers are told of the config: secrets hidden. By default what `redact` gives without knowing where values came from. */
  readonly redactedConfig?: Json | undefined;
  /** In the order in which plugins are named. */
  readonly hooks: readonly PluginHooks[];
  readonly trainData?: Dataset | undefined;
  readonly valData?: Dataset | undefined;
  /** Null writes nothing: no metrics file, no episodes, no checkpoints. */
  readonly run: RunFolder | null;
  /** A checkpoint's folder to take the weights from, and nothing else: for validation, where no run is gone on with. */
  readonly weights?: string | undefined;
  readonly logger: Logger;
  /** Writes a line of a tracker for a person; `logger.info` by default. */
  readonly print?: ((line: string) => void) | undefined;
  /** Waits until hooks of plugins count as slow, or are given up; real time by default. */
  readonly clock?: Clock | undefined;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly now?: (() => number) | undefined;
}
