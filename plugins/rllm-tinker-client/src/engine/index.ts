export { detectEngine, type EngineTraits } from './detect-engine.js';
export type { EngineProfile, LossProfile } from './engine-profile.js';
export { HOSTED_PROFILE } from './hosted-profile.js';
export { TX_03_PROFILE, TX_PROFILE } from './tx-profile.js';
