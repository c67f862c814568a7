import type { Episode } from './episode.js';
import type { Trajectory } from './trajectory.js';
import type { TrajectoryGroup, TrajectoryOrigin } from './trajectory-group.js';

/** Where a trajectory of an episode comes from, for a group's metadata. */
export function originOf(episode: Episode): TrajectoryOrigin {
  const { taskId, rolloutIndex, id, terminationReason, isCorrect } = episode;
  // Written out twice, since a spread takes ten times as long.
  return terminationReason === undefined
    ? { taskId, rolloutIndex, episodeId: id, isCorrect }
    : { taskId, rolloutIndex, episodeId: id, terminationReason, isCorrect };
}

/**
 * The trajectories of one role in the rollouts of one task, as plain data but for one thing: `metadata` is made of the episodes when
 * it is first read. Training on a group mostly never reads it, and an object per trajectory takes as long as all of grouping.
 *
 * It is a property of its own that is enumerated, so that JSON, spreads, `structuredClone` and comparisons have it like the others.
 */
export class RoleGroup implements TrajectoryGroup {
  readonly groupId: string;
  readonly role: string;
  readonly taskId: string;
  readonly trajectories: Trajectory[];
  declare readonly metadata: readonly TrajectoryOrigin[];
  /** Undefined once metadata is made. */
  #episodes: readonly Episode[] | undefined;
  readonly #from: number;
  #metadata: TrajectoryOrigin[] = NOTHING;

  /**
   * @param role          its name, and the `:name` that a group id ends in, made once for all groups.
   * @param trajectories  one or more, all of the role; kept, and longer after `join`.
   * @param episodes      of each its own from the index `from` on; kept, and not changed.
   */
  constructor(
    taskId: string,
    role: { readonly name: string; readonly suffix: string },
    trajectories: Trajectory[],
    episodes: readonly Episode[],
    from: number,
  ) {
    this.groupId = taskId + role.suffix;
    this.role = role.name;
    this.taskId = taskId;
    this.trajectories = trajectories;
    this.#episodes = episodes;
    this.#from = from;
    Object.defineProperty(this, 'metadata', METADATA);
  }

  /** Takes in more of the same task and role. */
  static join(group: RoleGroup, trajectories: readonly Trajectory[], episodes: readonly Episode[]): void {
    const metadata = RoleGroup.metadataOf(group);
    for (const trajectory of trajectories) group.trajectories.push(trajectory);
    for (const episode of episodes) metadata.push(originOf(episode));
  }

  static rolloutOf(
    group: RoleGroup,
    i: number,
  ): Pick<TrajectoryOrigin, 'taskId' | 'rolloutIndex'> | undefined {
    return group.#episodes === undefined ? group.#metadata[i] : group.#episodes[group.#from + i];
  }

  static metadataOf(group: RoleGroup): TrajectoryOrigin[] {
    if (group.#episodes !== undefined) {
      const to = group.#from + group.trajectories.length;
      group.#metadata = group.#episodes.slice(group.#from, to).map(originOf);
      group.#episodes = undefined;
    }
    return group.#metadata;
  }
}

/** Which rollout the trajectory `i` of a group comes from. Makes no metadata where it is not made yet. */
export function rolloutOf(
  group: TrajectoryGroup,
  i: number,
): Pick<TrajectoryOrigin, 'taskId' | 'rolloutIndex'> {
  const origin = group instanceof RoleGroup ? RoleGroup.rolloutOf(group, i) : group.metadata[i];
  return origin ?? { taskId: group.taskId, rolloutIndex: i };
}

const NOTHING: TrajectoryOrigin[] = [];

// One for all groups: with getters of their own, each would be of another shape to the engine, and slow to read.
const METADATA: PropertyDescriptor & ThisType<RoleGroup> = {
  enumerable: true,
  configurable: true,
  get() {
    return RoleGroup.metadataOf(this);
  },
};
