export { type EpisodeSketch, episodeOf, groupOf } from './build-data.js';
export {
  type ContractCheck,
  type EstimatorContractOptions,
  estimatorContract,
} from './estimator-contract.js';
export {
  InMemoryBackend,
  type InMemoryBackendOptions,
  inMemoryBackend,
  type PolicyInput,
  type RecordedUpdate,
  type ScriptedPolicy,
} from './in-memory-backend.js';
export { WordTokens } from './word-tokens.js';
