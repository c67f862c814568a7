export { type ConfigFault, configError, formatFault } from './config-fault.js';
export { defineConfig, type RllmConfigInput } from './config-input.js';
export { type ConfigPath, formatPath, parsePath } from './config-path.js';
export { configSchema } from './config-schema.js';
export { FOREIGN_VARIABLES, variableOf } from './environment.js';
export { faultAt } from './fault-at.js';
export { findConfigFile } from './find-config.js';
export type { Environment } from './interpolate.js';
export { configJsonSchema } from './json-schema.js';
export { jsonSchemaOf } from './json-schema-of.js';
export type { KnownPart, KnownParts } from './known-parts.js';
export { configFromCode, type LoadOptions, loadConfig } from './load-config.js';
export type { LoadedConfig } from './loaded-config.js';
export type {
  BackendOptionsMap,
  DatasetOptionsMap,
  EstimatorOptionsMap,
  GroupingHookOptionsMap,
  NoOptions,
  OptionsGiven,
  PluginOptionsMap,
  RewardOptionsMap,
  TrackerNames,
  WorkflowOptionsMap,
} from './names.js';
export { optionFaults } from './option-faults.js';
export { redact, redactFlag } from './redact.js';
export { DEFAULT_CONFIG, resolveConfig } from './resolve-config.js';
export { HIDDEN } from './secrets.js';
export type {
  AdamConfig,
  AlgorithmConfig,
  BackendConfig,
  CompactFilteringConfig,
  DataConfig,
  DatasetReference,
  LossConfig,
  PluginReference,
  RejectionSamplingConfig,
  RewardConfig,
  RewardReference,
  RllmConfig,
  RolloutConfig,
  SamplingConfig,
  StopCondition,
  TrackingConfig,
  TrainerConfig,
  TransformConfig,
  WorkflowConfig,
} from './types.js';
export { sourceOf, type ValueSource } from './value-source.js';
