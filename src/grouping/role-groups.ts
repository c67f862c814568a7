import { RewardReading } from '../filtering/index.js';
import type { Ragged } from '../ragged.js';
import type { Episode, Trajectory, TrajectoryGroup } from '../types/index.js';

/** A group that may still get more. */
interface OpenGroup extends TrajectoryGroup {
  readonly trajectories: Trajectory[];
  readonly metadata: Episode[];
}

/** What is known of a role. */
interface Role {
  readonly name: string;
  /** What the group ids of the role end in. */
  readonly suffix: string;
  /** Its groups, and of each the number of its task. */
  readonly groups: OpenGroup[];
  readonly tasks: number[];
  highestTask: number;
  /** The groups by the numbers of their tasks, once a task has come back: mostly none does. */
  byTask: Map<number, OpenGroup> | undefined;
  /** Its trajectories in the row at hand, and the episode of each; longer than `count`, since every row uses the lists again. */
  readonly trajectories: Trajectory[];
  readonly episodes: Episode[];
  count: number;
}

/**
 * Collects trajectories by task and role, one episode after the other.
 *
 * Rollouts of a task come in a row, mostly. So a group is looked up once per row and not once per trajectory, and its lists are
 * made in one go, as long as they have to be.
 */
export class RoleGroups {
  readonly #groups: OpenGroup[] = [];
  readonly #roles = new Map<string, Role>();
  /** Roles that the rollouts of the task at hand have, in the order of first appearance; longer than `#rolesInRow`. */
  readonly #row: Role[] = [];
  #rolesInRow = 0;
  /** Of the groups; not of those that were joined. */
  readonly #rewards: RewardReading;
  #areRewardsWhole = true;
  #task = -1;
  #taskId = '';
  #latest: Role | undefined;

  /** @param trajectories  about how many there will be. */
  constructor(trajectories: number) {
    this.#rewards = new RewardReading(0, trajectories);
  }

  /**
   * Takes trajectories of an episode: all of them, unless others are given.
   *
   * @param task  the number of its task: the same for episodes of one task, from 0 on.
   */
  add(episode: Episode, task: number, trajectories: readonly Trajectory[] = episode.trajectories): void {
    if (task !== this.#task) {
      this.#endRow();
      this.#task = task;
      this.#taskId = episode.taskId;
    }
    for (let i = 0; i < trajectories.length; i++) {
      const trajectory = trajectories[i] as Trajectory;
      const role = this.#latest?.name === trajectory.name ? this.#latest : this.#roleOf(trajectory.name);
      if (role.count === 0) this.#row[this.#rolesInRow++] = role;
      role.trajectories[role.count] = trajectory;
      role.episodes[role.count] = episode;
      role.count++;
    }
  }

  /**
   * Every group, in the order of first appearance, and their rewards: undefined unless all are there, finite and without named parts,
   * and rollouts of a task came in a row. Nothing may be added afterwards.
   */
  finish(): { readonly groups: readonly TrajectoryGroup[]; readonly rewards: Ragged | undefined } {
    this.#endRow();
    const areWhole = this.#areRewardsWhole && !this.#rewards.haveParts;
    return { groups: this.#groups, rewards: areWhole ? this.#rewards.finish() : undefined };
  }

  #roleOf(name: string): Role {
    const known = this.#roles.get(name);
    const role = known ?? {
      name,
      suffix: `:${name}`,
      groups: [],
      tasks: [],
      highestTask: -1,
      byTask: undefined,
      trajectories: [],
      episodes: [],
      count: 0,
    };
    if (known === undefined) this.#roles.set(name, role);
    this.#latest = role;
    return role;
  }

  #endRow(): void {
    for (let i = 0; i < this.#rolesInRow; i++) {
      const role = this.#row[i] as Role;
      const trajectories = role.trajectories.slice(0, role.count);
      const metadata = role.episodes.slice(0, role.count);
      const known = this.#task > role.highestTask ? undefined : lookUp(role, this.#task);
      if (known === undefined) {
        const taskId = this.#taskId;
        const group = { groupId: taskId + role.suffix, role: role.name, taskId, trajectories, metadata };
        keep(role, this.#task, group);
        this.#groups.push(group);
        if (!this.#rewards.add(trajectories)) this.#areRewardsWhole = false;
      } else {
        this.#areRewardsWhole = false;
        for (const trajectory of trajectories) known.trajectories.push(trajectory);
        for (const episode of metadata) known.metadata.push(episode);
      }
      role.count = 0;
    }
    this.#rolesInRow = 0;
  }
}

function keep(role: Role, task: number, group: OpenGroup): void {
  role.groups.push(group);
  role.tasks.push(task);
  if (task > role.highestTask) role.highestTask = task;
  role.byTask?.set(task, group);
}

function lookUp(role: Role, task: number): OpenGroup | undefined {
  role.byTask ??= new Map(role.tasks.map((own, g) => [own, role.groups[g] as OpenGroup]));
  return role.byTask.get(task);
}
