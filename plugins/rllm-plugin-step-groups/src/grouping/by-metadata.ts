import { type Episode, GroupingHook, type Trajectory, type TrajectoryGroup } from 'rllm-sdk';
import { z } from 'zod';
import { canonicalText } from '../canonical-text.js';
import { groupByPlace } from './group-by-place.js';

/** `transform.groupingOptions.by_metadata`. */
export interface ByMetadataOptions {
  readonly key: string;
  readonly from: 'task' | 'episode' | 'trajectory';
  readonly acrossTasks: boolean;
  readonly missing: 'error' | 'leave_out';
}

const schema = z
  .strictObject({
    key: z.string().min(1).describe('Name of the field by whose value trajectories are grouped.'),
    from: z
      .enum(['task', 'episode', 'trajectory'])
      .default('task')
      .describe("Where the field stands: in the task's row, in `episode.info`, in `trajectory.info`."),
    acrossTasks: z
      .boolean()
      .optional()
      .describe('Put equal values of different tasks into one group; by default only with `from: "task"`.'),
    missing: z
      .enum(['error', 'leave_out'])
      .default('error')
      .describe('A trajectory without the field stops the run, or does not train.'),
  })
  .transform((options) => ({ ...options, acrossTasks: options.acrossTasks ?? options.from === 'task' }));

/**
 * The grouping hook `by_metadata`: one group for each role and value of a field, and each task unless `acrossTasks`. Values are
 * compared as data, so that `{ a: 1, b: 2 }` and `{ b: 2, a: 1 }` are one.
 *
 * From the task it joins tasks: all of one level, one template, one source. From an episode or a trajectory it splits the rollouts
 * of a task: by branch, by tool, by the seed of the environment. A group of several tasks shows the id of its first; its `metadata`
 * has each trajectory's own. Their rewards must be of one scale, since the group's mean is the baseline of all.
 *
 * Rows: level 1, 1, 2 of the tasks t1, t2, t3 with two rollouts each give groups of 4 and 2.
 *
 * @throws Error when a trajectory has no such field and `missing` is `error`; the message names task, rollout and role.
 */
export const byMetadata: GroupingHook<ByMetadataOptions> = GroupingHook('by_metadata', {
  summary: 'one group for each role and value of a field of the task, the episode or the trajectory',
  options: schema,
})(
  (
    episodes: readonly Episode[],
    _transform: unknown,
    options?: ByMetadataOptions,
  ): readonly TrajectoryGroup[] => {
    const { key: field, from, acrossTasks, missing } = options ?? schema.parse({});
    return groupByPlace(episodes, (trajectory, episode) => {
      const { name: role } = trajectory;
      const source = sourceOf(from, trajectory, episode);
      const value = Object.hasOwn(source, field) ? source[field] : undefined;
      if (value === undefined) {
        if (missing === 'leave_out') return [];
        const { taskId, rolloutIndex } = episode;
        throw new Error(
          `rollout ${rolloutIndex} of task "${taskId}", role "${role}", has no field "${field}" in its ${from}`,
        );
      }
      const text = canonicalText(value);
      const task = acrossTasks ? [] : [episode.taskId];
      const groupId = [...task, `${field}=${text}`, role].join(':');
      return [{ key: [role, text, ...task], groupId, role, trajectory }];
    });
  },
);

function sourceOf(
  from: ByMetadataOptions['from'],
  trajectory: Trajectory,
  episode: Episode,
): Readonly<Record<string, unknown>> {
  if (from === 'episode') return episode.info;
  if (from === 'trajectory') return trajectory.info;
  const { task } = episode;
  return typeof task === 'object' && task !== null ? { ...task } : {};
}
