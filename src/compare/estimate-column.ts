import { collectRewardsAndAdvantages, type EstimatorRegistry } from '../advantage/index.js';
import { RllmError } from '../errors.js';
import type { TrajectoryGroup } from '../types/index.js';
import type { PreparedColumn } from './prepare-columns.js';

/**
 * Stage 6 of a training step with the column's estimator: with the same policies and checks. The advantages are written to the
 * steps of the groups, in place of those that they had; a trajectory that does not train has none.
 *
 * @returns  why the estimator gave none, or undefined.
 * @throws RllmError REWARD_MISSING, REWARD_NOT_FINITE by `missingReward`: that is the fault of all columns.
 */
export function estimateColumn(
  groups: readonly TrajectoryGroup[],
  { algorithm }: PreparedColumn,
  registry: EstimatorRegistry,
): string | undefined {
  try {
    collectRewardsAndAdvantages(groups, algorithm, { registry });
    return undefined;
  } catch (thrown) {
    if (RllmError.isInstance(thrown) && isFaultOfColumn(thrown)) return thrown.message;
    throw thrown;
  }
}

const FAULTS_OF_ESTIMATORS: ReadonlySet<string> = new Set([
  'ESTIMATOR_INPUT',
  'ESTIMATOR_THREW',
  'ESTIMATOR_OUTPUT',
]);

/** What the estimator itself throws has its name, whatever the code: a step's reward that is no number, for example. */
function isFaultOfColumn({ code, details }: RllmError): boolean {
  return FAULTS_OF_ESTIMATORS.has(code) || 'estimator' in details;
}

/** Runs `use` from the column's state and puts the estimator's back as it was, so that columns do not depend on their order. */
export function keepingState<T>(
  { column, state: own }: PreparedColumn,
  registry: EstimatorRegistry,
  use: () => T,
): T {
  const estimator = registry.get(column.name);
  const state = estimator.stateDict?.();
  const before = state === undefined ? undefined : structuredClone(state);
  try {
    if (own !== undefined) estimator.loadStateDict?.(structuredClone(own));
    return use();
  } finally {
    if (before !== undefined) estimator.loadStateDict?.(before);
  }
}
