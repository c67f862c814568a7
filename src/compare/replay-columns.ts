import type { EstimatorRegistry } from '../advantage/index.js';
import type { Json } from '../types/index.js';
import { estimateColumn, keepingState } from './estimate-column.js';
import type { LeftOut, PreparedColumn } from './prepare-columns.js';
import { keepsState, type TrainedStep } from './trained-steps.js';

/**
 * Gives columns with state the one that they have after some steps, as in training. The advantages of the steps are overwritten.
 *
 * @param steps  read only where a column has state.
 * @returns      the columns in their order, less those that failed on a step.
 * @throws RllmError as `estimateColumn` and `trainedSteps` do.
 */
export async function replayColumns(
  steps: AsyncIterable<TrainedStep>,
  prepared: readonly PreparedColumn[],
  registry: EstimatorRegistry,
): Promise<{ readonly ready: readonly PreparedColumn[]; readonly leftOut: readonly LeftOut[] }> {
  const current = new Map(
    prepared.filter(({ column }) => keepsState(column.name, registry)).map((one) => [one, one]),
  );
  const leftOut = new Map<PreparedColumn, LeftOut>();
  if (current.size === 0) return { ready: prepared, leftOut: [] };
  for await (const { step, groups } of steps) {
    if (groups.length === 0) continue;
    for (const [one, before] of current) {
      const outcome = keepingState(before, registry, () => {
        const failure = estimateColumn(groups, before, registry);
        return { failure, state: registry.get(before.column.name).stateDict?.() };
      });
      if (outcome.failure === undefined) current.set(one, withState(before, outcome.state));
      else {
        current.delete(one);
        leftOut.set(one, { label: one.column.label, reasons: [`in step ${step}: ${outcome.failure}`] });
      }
    }
  }
  const ready = prepared.filter((one) => !leftOut.has(one)).map((one) => current.get(one) ?? one);
  return { ready, leftOut: [...leftOut.values()] };
}

function withState(column: PreparedColumn, state: Json | undefined): PreparedColumn {
  return state === undefined ? column : { ...column, state: structuredClone(state) };
}
