import { definePlugin, type Episode, GroupingHook, type Trajectory, type TrajectoryGroup } from 'rllm-sdk';
import * as z from 'zod';

const schema = z.strictObject({
  field: z.string().default('level').describe('Tasks with the same value of this field are compared.'),
});

type Member = { readonly episode: Episode; readonly trajectory: Trajectory };

/**
 * One group for each role and each value of a field of the task; a task without the field is by itself.
 *
 * Every trajectory may stand in one group at most. One that stands in none does not train.
 */
@GroupingHook('example_part', {
  summary: 'one group for each role and value of a field of the task',
  options: schema,
})
export class ExampleGrouping {
  group(
    episodes: readonly Episode[],
    _transform: unknown,
    given: z.output<typeof schema> = schema.parse({}),
  ): readonly TrajectoryGroup[] {
    const members = new Map<string, Member[]>();
    for (const episode of episodes) {
      for (const trajectory of episode.trajectories) {
        const key = JSON.stringify([trajectory.name, placeOf(episode, given.field)]);
        const group = members.get(key);
        if (group === undefined) members.set(key, [{ episode, trajectory }]);
        else group.push({ episode, trajectory });
      }
    }
    return [...members].map(([groupId, own]) => ({
      groupId,
      role: own[0]?.trajectory.name ?? '',
      taskId: own[0]?.episode.taskId ?? '',
      trajectories: own.map(({ trajectory }) => trajectory),
      metadata: own.map(({ episode }) => episode),
    }));
  }
}

/** What the episodes of a group have in common. */
function placeOf({ task, taskId }: Episode, field: string): unknown {
  const row = typeof task === 'object' && task !== null ? { ...task } : {};
  return Object.hasOwn(row, field) ? { [field]: Reflect.get(row, field) } : { taskId };
}

export default definePlugin({
  name: 'rllm-plugin-example',
  apiVersion: 1,
  groupingHooks: [ExampleGrouping],
});
