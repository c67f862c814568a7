import {
  type AdvantageBatch,
  AdvEstimator,
  calculateReinforceAdvantages,
  type EstimateFunction,
  type TrajectoryGroup,
} from 'rllm-sdk';
import { z } from 'zod';
import { isUniform, meanOf } from './statistics.js';

export interface HierarchicalGrpoOptions {
  /** Roles whose trajectories are compared within one episode, normally solvers of a proposed problem. */
  readonly episodeRoles: readonly string[];
}

const DEFAULTS: HierarchicalGrpoOptions = { episodeRoles: [] };

export const hierarchicalGrpoOptions: z.ZodType<HierarchicalGrpoOptions> = z.strictObject({
  episodeRoles: z
    .array(z.string())
    .default([...DEFAULTS.episodeRoles])
    .describe('Roles whose trajectories are compared within one episode; the others within their group.'),
});

/**
 * Hierarchical GRPO: Aᵢ = rᵢ − mean of its peers, itself included. The peers of a trajectory are those of its group with the same
 * key: the episode for roles of `episodeRoles`, the group as a whole for the others.
 *
 * So solvers are compared on the same proposed problem, and proposers with those who worked from the same task.
 *
 * | | here | prime-rl |
 * | --- | --- | --- |
 * | 1, 1, 0 in one episode | 1/3, 1/3, −2/3 | the same |
 * | 1, 0 and 0, 0 of two episodes of a group | 0.5, −0.5 and 0, 0 | the same |
 * | alone under its key, alone in its group | 0 | 0 |
 * | peers with equal rewards | exactly 0 | 0 up to float noise |
 * | episodes in several groups | never compared across groups | one group is all rollouts of a task |
 *
 * The collection overrides a trajectory alone in its group by `algorithm.loneTrajectory`.
 *
 * @param rewards  `rewards[g][i]`, finite, any scale; not modified.
 * @param keys     `keys[g][i]`, equal (===) for peers; same shape.
 * @returns        fresh arrays of the same shape, in reward units; those of the same key of a group sum to 0.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE; RangeError when a group has another number of keys than of rewards.
 * @see the algorithm `hierarchical_grpo` of https://github.com/PrimeIntellect-ai/prime-rl
 */
export function calculateHierarchicalGrpoAdvantages(
  rewards: readonly ArrayLike<number>[],
  keys: readonly (readonly unknown[])[],
): Float64Array[] {
  const { advantages } = calculateReinforceAdvantages(rewards);
  advantages.forEach((group, g) => {
    const own = keys[g] ?? [];
    if (own.length !== group.length) {
      throw new RangeError(`group ${g} has ${group.length} rewards and ${own.length} keys`);
    }
    for (const peers of indicesByKey(own).values()) centre(group, peers);
  });
  return advantages;
}

function indicesByKey(keys: readonly unknown[]): Map<unknown, number[]> {
  const indices = new Map<unknown, number[]>();
  keys.forEach((key, i) => {
    const known = indices.get(key);
    if (known === undefined) indices.set(key, [i]);
    else known.push(i);
  });
  return indices;
}

function centre(group: Float64Array, indices: readonly number[]): void {
  const rewards = indices.map((i) => group[i] ?? Number.NaN);
  const uniform = isUniform([rewards]);
  const mean = uniform ? 0 : meanOf([rewards]);
  indices.forEach((i, j) => {
    group[i] = uniform ? 0 : (rewards[j] ?? Number.NaN) - mean;
  });
}

/** A number for each trajectory, equal for those of one rollout. Rollouts are told apart by task and index, never by a text. */
function episodesOf({ metadata, taskId, trajectories }: TrajectoryGroup): readonly number[] {
  const numbers = new Map<string, Map<number, number>>();
  return trajectories.map((_, i) => {
    const origin = metadata[i] ?? { taskId, rolloutIndex: i };
    const ofTask = numbers.get(origin.taskId) ?? new Map<number, number>();
    numbers.set(origin.taskId, ofTask);
    const number = ofTask.get(origin.rolloutIndex) ?? i;
    ofTask.set(origin.rolloutIndex, number);
    return number;
  });
}

/** The estimator `hierarchical_grpo`. */
export const hierarchicalGrpo: EstimateFunction<HierarchicalGrpoOptions> = AdvEstimator('hierarchical_grpo', {
  summary: 'r − mean of the same episode for the roles of episodeRoles, of the same group for the others',
  paper: 'https://github.com/PrimeIntellect-ai/prime-rl',
  scope: 'group',
  options: hierarchicalGrpoOptions,
})(({ role, rewards, groups, options }: AdvantageBatch<HierarchicalGrpoOptions>) => {
  const { episodeRoles } = { ...DEFAULTS, ...options };
  const keys = groups.map((group) =>
    episodeRoles.includes(role) ? episodesOf(group) : group.trajectories.map(() => 0),
  );
  return { advantages: calculateHierarchicalGrpoAdvantages(rewards, keys) };
});
