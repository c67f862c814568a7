export type { CallIdentity, ModelCall, RolloutEngine, SamplingParams } from './rollout-engine.js';
