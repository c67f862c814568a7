import type { InjectionToken } from 'tsyringe';
import type { EstimatorRegistry } from '../advantage/index.js';
import type { Backend, BackendDefinition } from '../backend/index.js';
import type { RllmConfig } from '../config/index.js';
import type { Dataset, DatasetSource } from '../data/index.js';
import type { GroupingHook, GroupingHookRegistry } from '../grouping/index.js';
import type { Logger } from '../logger.js';
import type { CommandDefinition, PluginToken } from '../plugin-host/index.js';
import type { Registry } from '../registry.js';
import type { RewardRegistry } from '../reward/index.js';
import type { TrackerDefinition } from '../tracking/index.js';
import type { RunFolder, UnifiedTrainer } from '../trainer/index.js';
import type { Clock, WorkflowDefinition, WorkflowEngine } from '../workflow/index.js';

/** Names a part of an app. `Symbol.for`, so that two copies of the SDK in one process mean the same part. */
export type Token<T> = InjectionToken<T> | PluginToken<T>;

export const CONFIG: Token<RllmConfig> = Symbol.for('rllm/Config');
export const LOGGER: Token<Logger> = Symbol.for('rllm/Logger');
/** Deadlines and pauses of rollouts, and how long hooks may take. */
export const CLOCK: Token<Clock> = Symbol.for('rllm/Clock');
/** Milliseconds since the epoch, for timings and time stamps. */
export const NOW: Token<() => number> = Symbol.for('rllm/Now');

export const ESTIMATORS: Token<EstimatorRegistry> = Symbol.for('rllm/EstimatorRegistry');
export const GROUPING_HOOKS: Token<GroupingHookRegistry> = Symbol.for('rllm/GroupingHookRegistry');
export const BACKENDS: Token<Registry<BackendDefinition>> = Symbol.for('rllm/BackendRegistry');
export const WORKFLOWS: Token<Registry<WorkflowDefinition>> = Symbol.for('rllm/WorkflowRegistry');
export const REWARDS: Token<RewardRegistry> = Symbol.for('rllm/RewardRegistry');
export const DATASETS: Token<Registry<DatasetSource>> = Symbol.for('rllm/DatasetRegistry');
export const TRACKERS: Token<Registry<TrackerDefinition>> = Symbol.for('rllm/TrackerRegistry');

export const COMMANDS: Token<Registry<CommandDefinition>> = Symbol.for('rllm/CommandRegistry');

/** The parts that the config chooses, each built when it is first needed. */
export const GROUPING_HOOK: Token<GroupingHook> = Symbol.for('rllm/GroupingHook');
export const WORKFLOW: Token<WorkflowDefinition> = Symbol.for('rllm/Workflow');
export const BACKEND: Token<Backend> = Symbol.for('rllm/Backend');
export const ENGINE: Token<WorkflowEngine> = Symbol.for('rllm/WorkflowEngine');
export const TRAINER: Token<UnifiedTrainer> = Symbol.for('rllm/UnifiedTrainer');

/** Bound when the trainer is asked for, since they are opened by then. */
export const TRAIN_DATA: Token<Dataset | undefined> = Symbol.for('rllm/TrainData');
export const VAL_DATA: Token<Dataset | undefined> = Symbol.for('rllm/ValData');
export const RUN_FOLDER: Token<RunFolder | null> = Symbol.for('rllm/RunFolder');
