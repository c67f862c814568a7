export { addressOf, serviceOf } from './connect.js';
export { engineFailure } from './engine-failure.js';
export { assertEngineCan } from './engine-faults.js';
export { assertModelIsServed, modelLimits } from './model-limits.js';
export { compareLogprobs, disagreement, type SampledTokens, sampleTokens } from './self-check.js';
export { tinkerBackend } from './tinker-backend-definition.js';
export { type TinkerOptions, tinkerOptionsSchema } from './tinker-options.js';
