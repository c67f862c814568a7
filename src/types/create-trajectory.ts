import { randomUUID } from 'node:crypto';
import { copyPlain } from './copy-plain.js';
import { DEFAULT_TRAJECTORY_NAME, type Trajectory } from './trajectory.js';

/**
 * A trajectory with every field filled in: unnamed, without steps, `reward` absent. The list of steps is a new one, the
 * steps are those given.
 *
 * Without a `uid` it gets a random one. Trajectories of `context.agent(role)` derive theirs from the rollout's identity.
 */
export function createTrajectory(init: Partial<Trajectory> = {}): Trajectory {
  const trajectory: Trajectory = {
    uid: init.uid ?? randomUUID(),
    name: init.name ?? DEFAULT_TRAJECTORY_NAME,
    steps: [...(init.steps ?? [])],
    info: copyPlain(init.info ?? {}),
  };
  if (init.task !== undefined) trajectory.task = init.task;
  if (init.reward !== undefined) trajectory.reward = init.reward;
  if (init.rewards !== undefined) trajectory.rewards = { ...init.rewards };
  return trajectory;
}
