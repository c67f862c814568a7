export type { AdamParams, OptimStepResult } from './adam-params.js';
export type { CallOptions } from './call-options.js';
export type { Capabilities } from './capabilities.js';
export type { Checkpoint, SavedSampler, SavedState, TrainingRun } from './checkpoint.js';
export type { Datum, LossInput } from './datum.js';
export type { FloatArray } from './float-array.js';
export type { ForwardResult, LossOutput } from './forward-result.js';
export type { LoraConfig } from './lora.js';
export type { LossConfig, LossFn } from './loss-fn.js';
export type { ModelInfo, WeightsInfo } from './model-info.js';
export type { QueueStateEvent } from './queue-state.js';
export type {
  SampledSequence,
  SampleRequest,
  SampleResult,
  SamplingParams,
  SamplingSource,
  TokenLogprob,
} from './sampling.js';
export type { Tokens } from './tokens.js';
