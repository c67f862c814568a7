import { RllmError } from '../errors.js';
import { RewardReading } from '../filtering/index.js';
import { Ragged } from '../ragged.js';
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

/** The rewards of groups, in fresh memory: what an estimator does to it touches nobody else. Selection has checked that each is there. */
export function readRewards(groups: readonly TrajectoryGroup[]): Ragged {
  const reading = new RewardReading(groups.length, 0);
  for (const { trajectories } of groups) reading.add(trajectories);
  return reading.finish();
}

/**
 * A copy of ragged rewards, on which an estimator works in place.
 *
 * @param rewards  `rewards[g][i]`, finite; not modified.
 * @throws RllmError EMPTY_GROUP when a group has no reward, REWARD_NOT_FINITE for NaN and infinity.
 */
export function copyRewards(rewards: readonly ArrayLike<number>[]): Ragged {
  const starts = startsOf(rewards);
  const flat = new Float64Array(starts.at(-1) as number);
  let end = 0;
  for (let g = 0; g < rewards.length; g++) {
    const group = rewards[g] as ArrayLike<number>;
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
  }
  return new Ragged(flat, starts);
}

/** What `calculate…` returns of a table that holds the advantages. */
export function groupAdvantages({ byGroup }: Ragged): GroupAdvantages {
  return { advantages: byGroup, returns: byGroup };
}

function startsOf(rows: readonly ArrayLike<number>[]): Uint32Array {
  const starts = new Uint32Array(rows.length + 1);
  let end = 0;
  for (let g = 0; g < rows.length; g++) {
    end += (rows[g] as ArrayLike<number>).length;
    starts[g + 1] = end;
  }
  return starts;
}
