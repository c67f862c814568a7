import type { Trajectory } from './trajectory.js';

// By name, so that a part is known to every copy of the SDK. A symbol: it is in no JSON, and a spread keeps it.
const WHOLE = Symbol.for('rllm.whole');

/**
 * Steps `from` to `to` (without it) of a trajectory, as a trajectory of their own: what a grouping hook returns that compares
 * parts of trajectories. It holds the very steps of the whole, so that credit given to a part is credit of the rollout's own steps.
 *
 * It has role, task and info of the whole, a `uid` made of the whole's, no named rewards, and the reward given, or none.
 *
 * @throws RangeError when that is no step.
 */
export function trajectoryPart(whole: Trajectory, from: number, to: number, reward?: number): Trajectory {
  const { uid, name, task, info } = whole;
  const steps = whole.steps.slice(from, to);
  if (steps.length === 0) {
    throw new RangeError(
      `the trajectory "${uid}" has ${whole.steps.length} steps, none from ${from} to ${to}`,
    );
  }
  const part: Trajectory & { [WHOLE]: Trajectory } = {
    uid: `${uid}#${from}-${to}`,
    name,
    steps,
    info,
    [WHOLE]: whole,
  };
  if (task !== undefined) part.task = task;
  if (reward !== undefined) part.reward = reward;
  return part;
}

/** The trajectory of the rollout that a part was made of; the trajectory itself when it is no part. */
export function wholeOf(trajectory: Trajectory): Trajectory {
  return (trajectory as { readonly [WHOLE]?: Trajectory })[WHOLE] ?? trajectory;
}
