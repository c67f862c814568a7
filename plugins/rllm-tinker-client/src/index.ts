export { type Clock, systemClock } from './clock.js';
export {
  detectEngine,
  type EngineProfile,
  type EngineTraits,
  HOSTED_PROFILE,
  type LossProfile,
  TX_03_PROFILE,
  TX_PROFILE,
} from './engine/index.js';
export { TINKER_ERRORS, TinkerError, type TinkerErrorCode } from './errors.js';
export { ApiFuture } from './futures/api-future.js';
export { type ClientLimits, DEFAULT_LIMITS } from './limits.js';
export type { TinkerLogger } from './logger.js';
export type { ServiceClientOptions } from './options.js';
export { type Page, RestClient } from './rest/rest-client.js';
export { SamplingClient } from './sampling/sampling-client.js';
export { ServiceClient, type StateSource, type TrainingModel } from './service-client.js';
export { type SaveOptions, TrainingClient } from './training/training-client.js';
export type {
  AdamParams,
  CallOptions,
  Capabilities,
  Checkpoint,
  Datum,
  FloatArray,
  ForwardResult,
  LoraConfig,
  LossConfig,
  LossFn,
  LossInput,
  LossOutput,
  ModelInfo,
  OptimStepResult,
  QueueStateEvent,
  SampledSequence,
  SampleRequest,
  SampleResult,
  SamplingParams,
  SamplingSource,
  SavedSampler,
  SavedState,
  TokenLogprob,
  Tokens,
  TrainingRun,
  WeightsInfo,
} from './types/index.js';
