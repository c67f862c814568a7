import { RewardReading } from '../filtering/index.js';
import type { Ragged } from '../ragged.js';
import { type Episode, RoleGroup, type Trajectory, type TrajectoryGroup } from '../types/index.js';

/** What is known of a role. */
interface Role {
  readonly name: string;
  /** What the group ids of the role end in. */
  readonly suffix: string;
  /** Its groups, and of each the number of its task. */
  readonly groups: RoleGroup[];
  readonly tasks: number[];
  highestTask: number;
  /** The groups by the numbers of their tasks, once a task has come back: mostly none does. */
  byTask: Map<number, RoleGroup> | undefined;
  /** Its trajectories in the row at hand, and of each the place of its episode; longer than `count`, since every row uses the lists again. */
  readonly trajectories: Trajectory[];
  readonly places: number[];
  count: number;
}

/**
 * Collects trajectories by task and role, one episode after the other.
 *
 * Rollouts of a task come in a row, mostly. So a group is looked up once per row and not once per trajectory, and its list is
 * made in one go, as long as it has to be.
 */
export class RoleGroups {
  readonly #groups: RoleGroup[] = [];
  readonly #roles = new Map<string, Role>();
  /** Roles that the rollouts of the task at hand have, in the order of first appearance; longer than `#rolesInRow`. */
  readonly #row: Role[] = [];
  #rolesInRow = 0;
  /** A copy, since groups look at it later than their maker knows of. */
  readonly #episodes: readonly Episode[];
  /** Of the groups; not of those that were joined. */
  readonly #rewards: RewardReading;
  #areRewardsWhole = true;
  #task = -1;
  #taskId = '';
  #latest: Role | undefined;

  /** @param episodes  those that the trajectories come from. */
  constructor(episodes: readonly Episode[]) {
    this.#episodes = episodes.slice();
    this.#rewards = new RewardReading(0, episodes.length);
  }

  /**
   * Takes all trajectories of an episode, or of a copy of it that has fewer.
   *
   * @param place  where the episode stands among those given.
   * @param task   the number of its task: the same for episodes of one task, from 0 on.
   */
  add({ taskId, trajectories }: Episode, place: number, task: number): void {
    if (task !== this.#task) {
      this.#endRow();
      this.#task = task;
      this.#taskId = taskId;
    }
    for (let i = 0; i < trajectories.length; i++) {
      const trajectory = trajectories[i] as Trajectory;
      const role = this.#latest?.name === trajectory.name ? this.#latest : this.#roleOf(trajectory.name);
      if (role.count === 0) this.#row[this.#rolesInRow++] = role;
      role.trajectories[role.count] = trajectory;
      role.places[role.count] = place;
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
      places: [],
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
      const known = this.#task > role.highestTask ? undefined : lookUp(role, this.#task);
      if (known === undefined) {
        const group = this.#groupOf(role, trajectories);
        keep(role, this.#task, group);
        this.#groups.push(group);
        if (!this.#rewards.add(trajectories)) this.#areRewardsWhole = false;
      } else {
        this.#areRewardsWhole = false;
        RoleGroup.join(known, trajectories, this.#episodesOf(role));
      }
      role.count = 0;
    }
    this.#rolesInRow = 0;
  }

  /** Mostly each episode of the row has one trajectory of the role, so that the group needs no list of its episodes. */
  #groupOf(role: Role, trajectories: Trajectory[]): RoleGroup {
    return areConsecutive(role)
      ? new RoleGroup(this.#taskId, role, trajectories, this.#episodes, role.places[0] as number)
      : new RoleGroup(this.#taskId, role, trajectories, this.#episodesOf(role), 0);
  }

  #episodesOf({ places, count }: Role): Episode[] {
    return places.slice(0, count).map((place) => this.#episodes[place] as Episode);
  }
}

function keep(role: Role, task: number, group: RoleGroup): void {
  role.groups.push(group);
  role.tasks.push(task);
  if (task > role.highestTask) role.highestTask = task;
  role.byTask?.set(task, group);
}

function lookUp(role: Role, task: number): RoleGroup | undefined {
  role.byTask ??= new Map(role.tasks.map((own, g) => [own, role.groups[g] as RoleGroup]));
  return role.byTask.get(task);
}

function areConsecutive({ places, count }: Role): boolean {
  const first = places[0] as number;
  for (let i = 1; i < count; i++) if (places[i] !== first + i) return false;
  return true;
}
