export { backendContract } from './backend-contract.js';
export type { BackendContractOptions } from './backend-subject.js';
export {
  type BatchSketch,
  batchOf,
  type EpisodeSketch,
  episodeOf,
  type GroupSketch,
  groupOf,
  type StepSketch,
  trajectoryOf,
} from './build-data.js';
export type { ContractCheck } from './contract-check.js';
export { type EstimatorContractOptions, estimatorContract } from './estimator-contract.js';
export { type FakeClock, fakeClock } from './fake-clock.js';
export { type GroupingHookContractOptions, groupingHookContract } from './grouping-hook-contract.js';
export {
  InMemoryBackend,
  type InMemoryBackendOptions,
  inMemoryBackend,
  type PolicyInput,
  type RecordedUpdate,
  type ScriptedPolicy,
} from './in-memory-backend.js';
export { type TestApp, type TestAppOptions, type TestRun, testApp } from './test-app.js';
export { testBackend, testEstimator, testGroupingHook, testTracker } from './test-contracts.js';
export type { TestFunction, TestRunner } from './test-function.js';
export { type TrackerContractOptions, trackerContract } from './tracker-contract.js';
export { WordTokens } from './word-tokens.js';
