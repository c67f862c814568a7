import type { Episode, Trajectory, TrajectoryGroup } from '../types/index.js';
import { RoleGroup } from './role-group.js';

/** What is known of a role. */
interface Role {
  readonly name: string;
  /** What the group ids of the role end in. */
  readonly suffix: string;
  readonly byTask: Map<string, RoleGroup>;
  /** Its trajectories in the row at hand, and of each its episode; longer than `count`, since every row uses the lists again. */
  readonly trajectories: Trajectory[];
  readonly episodes: Episode[];
  count: number;
}

/**
 * Collects trajectories by task and role, one episode after the other.
 *
 * Rollouts of a task come in a row, mostly. So a group is looked up once per row and not once per trajectory, and its list is
 * made in one go, as long as it has to be.
 */
export class RoleGroups {
  readonly #groups: TrajectoryGroup[] = [];
  // Roles outside and tasks inside, since there are few roles: so there are few maps.
  readonly #roles = new Map<string, Role>();
  /** Roles that the rollouts of the task at hand have, in the order of first appearance. */
  readonly #row: Role[] = [];
  /** Of each trajectory in a group its episode, group by group: one list for all, of which a group keeps the place. */
  readonly #episodes: Episode[];
  #end = 0;
  #taskId = '';
  #latest: Role | undefined;

  /** @param capacity  about how many trajectories there will be. */
  constructor(capacity: number) {
    this.#episodes = new Array<Episode>(capacity);
  }

  /** Takes all trajectories of an episode. */
  add(episode: Episode): void {
    const { taskId, trajectories } = episode;
    if (taskId !== this.#taskId) {
      this.#endRow();
      this.#taskId = taskId;
    }
    for (let i = 0; i < trajectories.length; i++) {
      const trajectory = trajectories[i] as Trajectory;
      const role = this.#latest?.name === trajectory.name ? this.#latest : this.#roleOf(trajectory.name);
      if (role.count === 0) this.#row.push(role);
      role.trajectories[role.count] = trajectory;
      role.episodes[role.count] = episode;
      role.count++;
    }
  }

  /** Every group, in the order of first appearance. Nothing may be added afterwards. */
  finish(): readonly TrajectoryGroup[] {
    this.#endRow();
    return this.#groups;
  }

  #roleOf(name: string): Role {
    const known = this.#roles.get(name);
    const role = known ?? {
      name,
      suffix: `:${name}`,
      byTask: new Map(),
      trajectories: [],
      episodes: [],
      count: 0,
    };
    if (known === undefined) this.#roles.set(name, role);
    this.#latest = role;
    return role;
  }

  #endRow(): void {
    const taskId = this.#taskId;
    for (const role of this.#row) {
      const trajectories = role.trajectories.slice(0, role.count);
      const known = role.byTask.get(taskId);
      if (known === undefined) {
        const group = new RoleGroup(taskId, role, trajectories, this.#episodes, this.#end);
        for (let i = 0; i < role.count; i++) this.#episodes[this.#end++] = role.episodes[i] as Episode;
        role.byTask.set(taskId, group);
        this.#groups.push(group);
      } else {
        RoleGroup.join(known, trajectories, role.episodes.slice(0, role.count));
      }
      role.count = 0;
    }
    this.#row.length = 0;
  }
}
