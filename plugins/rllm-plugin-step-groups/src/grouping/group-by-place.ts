import type { Episode, Trajectory, TrajectoryGroup } from 'rllm-sdk';

/** Where a trajectory goes. Those with equal keys form a group; what is shown of it is that of its first trajectory. */
export interface Place {
  /** Compared item by item, so that no joined text can confuse two groups. */
  readonly key: readonly (string | number)[];
  /** For display. */
  readonly groupId: string;
  readonly role: string;
  /** What is grouped: the trajectory itself, or a part of it. */
  readonly trajectory: Trajectory;
}

type OpenGroup = TrajectoryGroup & {
  readonly trajectories: Trajectory[];
  readonly metadata: Episode[];
};

/**
 * Groups what `placesOf` gives for each trajectory, in the order in which keys first occur. A trajectory without a place stands
 * in no group and does not train; the ledger counts it as `not_grouped`.
 */
export function groupByPlace(
  episodes: readonly Episode[],
  placesOf: (trajectory: Trajectory, episode: Episode) => readonly Place[],
): readonly TrajectoryGroup[] {
  const groups = new Map<string, OpenGroup>();
  for (const episode of episodes) {
    for (const whole of episode.trajectories) {
      for (const { key, groupId, role, trajectory } of placesOf(whole, episode)) {
        const text = JSON.stringify(key);
        const group = groups.get(text) ?? {
          groupId,
          role,
          taskId: episode.taskId,
          trajectories: [],
          metadata: [],
        };
        groups.set(text, group);
        group.trajectories.push(trajectory);
        group.metadata.push(episode);
      }
    }
  }
  return [...groups.values()];
}
