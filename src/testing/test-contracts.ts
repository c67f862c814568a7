import type { EstimateFunction, EstimatorClass } from '../advantage/index.js';
import type { BackendDefinition } from '../backend/index.js';
import type { GroupingHook, GroupingHookClass } from '../grouping/index.js';
import type { TrackerDefinition } from '../tracking/index.js';
import { backendContract } from './backend-contract.js';
import type { BackendContractOptions } from './backend-subject.js';
import type { ContractCheck } from './contract-check.js';
import { type EstimatorContractOptions, estimatorContract } from './estimator-contract.js';
import { type GroupingHookContractOptions, groupingHookContract } from './grouping-hook-contract.js';
import { type TestRunner, testFunction } from './test-function.js';
import { type TrackerContractOptions, trackerContract } from './tracker-contract.js';

/** A test per check of `estimatorContract`: `testEstimator(Opo)`. */
export function testEstimator(
  declared: EstimateFunction | EstimatorClass,
  options: EstimatorContractOptions & TestRunner = {},
): void {
  register(estimatorContract(declared, options), options);
}

/** A test per check of `groupingHookContract`: `testGroupingHook(byLevel)`. */
export function testGroupingHook(
  declared: GroupingHook | GroupingHookClass,
  options: GroupingHookContractOptions & TestRunner = {},
): void {
  register(groupingHookContract(declared, options), options);
}

/** A test per check of `backendContract`: `testBackend(mine, { options: { url } })`. */
export function testBackend(
  definition: BackendDefinition,
  options: BackendContractOptions & TestRunner = {},
): void {
  register(backendContract(definition, options), options);
}

/** A test per check of `trackerContract`: `testTracker(mine, { writes: true })`. */
export function testTracker(
  definition: TrackerDefinition,
  options: TrackerContractOptions & TestRunner = {},
): void {
  register(trackerContract(definition, options), options);
}

/** @throws Error when no test runner is at work and none is given. */
function register(checks: readonly ContractCheck[], runner: TestRunner): void {
  const test = testFunction(runner);
  for (const { name, run } of checks) test(name, () => run());
}
