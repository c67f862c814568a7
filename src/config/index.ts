export { type ConfigFault, configError, formatFault } from './config-fault.js';
export { defineConfig, type RllmConfigInput } from './config-input.js';
export { type ConfigPath, formatPath, parsePath } from './config-path.js';
export { configSchema } from './config-schema.js';
export { FOREIGN_VARIABLES, variableOf } from './environment.js';
export { faultAt } from './fault-at.js';
export { findConfigFile } from './find-config.js';
export type { Environment } from './interpolate.js';
export { configJsonSchema } from './json-schema.js';
export { configFromCode, type LoadOptions, loadConfig } from './load-config.js';
export type { LoadedConfig } from './loaded-config.js';
export { redact } from './redact.js';
export { DEFAULT_CONFIG, resolveConfig } from './resolve-config.js';
export { HIDDEN } from './secrets.js';
export type {
  AdamConfig,
  AlgorithmConfig,
  BackendConfig,
  CompactFilteringConfig,
  DataConfig,
  LossConfig,
  PluginReference,
  RejectionSamplingConfig,
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
