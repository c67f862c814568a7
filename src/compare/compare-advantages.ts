import type { EstimatorDescriptor, EstimatorRegistry } from '../advantage/index.js';
import type { TrajectoryGroup } from '../types/index.js';
import { estimateColumn, keepingState } from './estimate-column.js';
import type { LeftOut, PreparedColumn } from './prepare-columns.js';
import { advantageOf, type TrajectoryAdvantage } from './trajectory-advantage.js';

/** A group as tables show it. Lists have the shape [i]. */
export interface ComparedGroup {
  readonly groupId: string;
  readonly role: string;
  /** Null where it is missing. */
  readonly rewards: readonly (number | null)[];
  /** Response tokens. */
  readonly lengths: readonly number[];
}

/** What one estimator makes of the groups. */
export interface AdvantageColumn {
  readonly label: string;
  readonly estimator: EstimatorDescriptor;
  readonly options: Readonly<Record<string, unknown>>;
  /** `[g][i]`; null for a trajectory that does not train under the policies of the algorithm. */
  readonly advantages: readonly (readonly (TrajectoryAdvantage | null)[])[];
}

export interface AdvantageTable {
  readonly groups: readonly ComparedGroup[];
  readonly columns: readonly AdvantageColumn[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * The advantages of the same groups under each column. All groups are one batch, as of one optimiser step.
 *
 * The steps' own advantages are used as scratch space and are absent afterwards.
 *
 * @throws RllmError REWARD_MISSING, REWARD_NOT_FINITE by `missingReward`.
 */
export function compareAdvantages(
  groups: readonly TrajectoryGroup[],
  prepared: readonly PreparedColumn[],
  registry: EstimatorRegistry,
): AdvantageTable {
  const columns: AdvantageColumn[] = [];
  const leftOut: LeftOut[] = [];
  for (const one of prepared) {
    clear(groups);
    const { label, options } = one.column;
    const failure = keepingState(one, registry, () => estimateColumn(groups, one, registry));
    if (failure !== undefined) leftOut.push({ label, reasons: [failure] });
    else {
      const advantages = groups.map(({ trajectories }) => trajectories.map(advantageOf));
      columns.push({ label, estimator: one.descriptor, options, advantages });
    }
  }
  clear(groups);
  return { groups: groups.map(comparedGroup), columns, leftOut };
}

function comparedGroup({ groupId, role, trajectories }: TrajectoryGroup): ComparedGroup {
  return {
    groupId,
    role,
    rewards: trajectories.map(({ reward = null }) => reward),
    lengths: trajectories.map(({ steps }) => steps.reduce((sum, step) => sum + step.responseIds.length, 0)),
  };
}

function clear(groups: readonly TrajectoryGroup[]): void {
  for (const { trajectories } of groups) {
    for (const { steps } of trajectories) for (const step of steps) delete step.advantage;
  }
}
