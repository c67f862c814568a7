export { resolveSampling } from './resolve-sampling.js';
export type { CallIdentity, ModelCall, RolloutEngine, SamplingParams } from './rollout-engine.js';
