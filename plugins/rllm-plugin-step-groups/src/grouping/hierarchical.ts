import { type Episode, GroupingHook, type TrajectoryGroup } from 'rllm-sdk';
import { z } from 'zod';
import { groupByPlace } from './group-by-place.js';

/** `transform.groupingOptions.hierarchical`. */
export interface HierarchicalOptions {
  readonly episodeRoles: readonly string[];
}

const schema = z.strictObject({
  episodeRoles: z
    .array(z.string().min(1))
    .min(1)
    .describe('Roles whose trajectories are compared within their own rollout: solvers of one proposal.'),
});

/**
 * The grouping hook `hierarchical`: trajectories of the roles listed are compared with those of the same role in the same rollout,
 * all others with those of the same role and task. For rollouts in which one role makes the problem and another, several times,
 * answers it: answers to different problems say nothing about each other.
 *
 * Row: one task, two rollouts, each a proposer and three solvers: one group of 2 proposers, two groups of 3 solvers. With `rloo` or
 * a centred `grpo`, solver rewards [1, 1, 0] then give [1/3, 1/3, −2/3] centred.
 *
 * | | here | prime-rl, hierarchical GRPO |
 * | --- | --- | --- |
 * | key of the roles listed | task, rollout, role | role, episode |
 * | key of the others | task, role | role |
 * | lone trajectory | `algorithm.loneTrajectory` | 0 |
 */
export const hierarchical: GroupingHook<HierarchicalOptions> = GroupingHook('hierarchical', {
  summary: 'roles listed by task, rollout and role; the others by task and role',
  options: schema,
})(
  (
    episodes: readonly Episode[],
    _transform: unknown,
    options?: HierarchicalOptions,
  ): readonly TrajectoryGroup[] => {
    const inEpisode = new Set((options ?? schema.parse({})).episodeRoles);
    return groupByPlace(episodes, (trajectory, { taskId, rolloutIndex }) => {
      const { name: role } = trajectory;
      return inEpisode.has(role)
        ? [
            {
              key: [role, taskId, rolloutIndex],
              groupId: `${taskId}:${rolloutIndex}:${role}`,
              role,
              trajectory,
            },
          ]
        : [{ key: [role, taskId], groupId: `${taskId}:${role}`, role, trajectory }];
    });
  },
);
