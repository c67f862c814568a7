import { RllmError } from '../errors.js';
import type { TrajectoryGroup } from '../types/index.js';

/** What the `calculate…` functions return: `[g][i]` like the rewards. */
export interface GroupAdvantages {
  readonly advantages: Float64Array[];
  /** The same arrays as `advantages`: without a value baseline there is no return apart from them, as in rLLM. */
  readonly returns: Float64Array[];
}

/** What the `…PerGroup` functions return, shape [G]. */
export interface SingleGroupAdvantages {
  readonly advantages: Float64Array;
  /** The same array as `advantages`. */
  readonly returns: Float64Array;
}

/** Rewards of trajectory groups: one flat buffer, and a view of it for each group. */
export interface RaggedRewards {
  readonly flat: Float64Array;
  readonly byGroup: readonly Float64Array[];
}

/** A view of each group's own part of a flat list that has one value per trajectory, group by group. */
export function cutByGroup(
  flat: Float64Array<ArrayBuffer>,
  groups: readonly TrajectoryGroup[],
): RaggedRewards {
  const byGroup: Float64Array[] = [];
  let end = flat.byteOffset / Float64Array.BYTES_PER_ELEMENT;
  for (const { trajectories } of groups) {
    byGroup.push(viewOf(flat.buffer, end, trajectories.length));
    end += trajectories.length;
  }
  return { flat, byGroup };
}

/** The rewards of groups, in fresh memory: what an estimator does to it touches nobody else. Selection has checked that each is there. */
export function readRewards(groups: readonly TrajectoryGroup[]): Float64Array<ArrayBuffer> {
  let total = 0;
  for (const { trajectories } of groups) total += trajectories.length;
  const flat = new Float64Array(total);
  let end = 0;
  for (const { trajectories } of groups) {
    for (const { reward } of trajectories) flat[end++] = reward ?? Number.NaN;
  }
  return flat;
}

/** Half the time of `subarray`; with groups of 8, making the views is most of the work. */
function viewOf(buffer: ArrayBuffer, start: number, length: number): Float64Array<ArrayBuffer> {
  return new Float64Array(buffer, start * Float64Array.BYTES_PER_ELEMENT, length);
}

/**
 * A copy of ragged rewards, as views of one fresh flat buffer, on which an estimator works in place.
 *
 * @param rewards  `rewards[g][i]`, finite; not modified.
 * @throws RllmError EMPTY_GROUP when a group has no reward, REWARD_NOT_FINITE for NaN and infinity.
 */
export function copyGroups(rewards: readonly ArrayLike<number>[]): Float64Array<ArrayBuffer>[] {
  let total = 0;
  for (const group of rewards) total += group.length;
  const flat = new Float64Array(total);
  const views: Float64Array<ArrayBuffer>[] = [];
  let end = 0;
  for (let g = 0; g < rewards.length; g++) {
    const group = rewards[g] as ArrayLike<number>;
    const start = end;
    if (group.length === 0) {
      throw new RllmError('EMPTY_GROUP', `Group ${g} of ${rewards.length} has no rewards.`);
    }
    for (let i = 0; i < group.length; i++) {
      const reward = group[i] as number;
      if (!Number.isFinite(reward)) {
        throw new RllmError('REWARD_NOT_FINITE', `The reward ${i} of group ${g} is ${String(reward)}.`, {
          details: { group: g, index: i },
        });
      }
      flat[end++] = reward;
    }
    views.push(viewOf(flat.buffer, start, group.length));
  }
  return views;
}
