import { ownValue } from '../own-value.js';
import type { Metrics, TrajectoryGroup } from '../types/index.js';
import { estimatorInput } from './estimator-input.js';

/** Named parts of rewards, each in the shape of `batch.rewards`. */
export interface RewardComponents {
  /** Sorted, so that their order does not depend on which trajectory comes first. */
  readonly names: readonly string[];
  /** `values.get(name)[g][i]`, fresh arrays. */
  readonly values: ReadonlyMap<string, Float64Array[]>;
}

/**
 * The named parts of the rewards of a batch, from `trajectory.rewards`. The total is apart, in `batch.rewards`, and need not be
 * their sum; reward clip, length penalty and KL change it alone.
 *
 * @throws RllmError ESTIMATOR_INPUT when a trajectory lacks a part that another has; the message names both.
 */
export function componentsOf({ groups }: { readonly groups: readonly TrajectoryGroup[] }): RewardComponents {
  const names = new Set<string>();
  for (const { trajectories } of groups) {
    for (const { rewards } of trajectories) for (const name in rewards) names.add(name);
  }
  const sorted = [...names].sort();
  const values = new Map(sorted.map((name) => [name, groups.map((group) => partsOf(group, name))] as const));
  return { names: sorted, values };
}

function partsOf(group: TrajectoryGroup, name: string): Float64Array {
  return Float64Array.from(group.trajectories, ({ rewards }, i) => {
    const value = ownValue(rewards ?? {}, name);
    if (value !== undefined) return value;
    throw estimatorInput('Named reward parts', `has no part "${name}", which others of its role have`, {
      group,
      i,
    });
  });
}

/** `reward/{role}/{component}/mean`: mean of each named part over the trajectories that have it. */
export function componentMetrics(role: string, groups: readonly TrajectoryGroup[]): Metrics {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { trajectories } of groups) {
    for (const { rewards } of trajectories) {
      for (const name in rewards) {
        const own = sums.get(name) ?? { sum: 0, count: 0 };
        own.sum += rewards[name] as number;
        own.count++;
        sums.set(name, own);
      }
    }
  }
  return Object.fromEntries(
    [...sums].map(([name, { sum, count }]) => [`reward/${role}/${name}/mean`, sum / count]),
  );
}
