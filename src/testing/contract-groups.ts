import { createStep, createTrajectory, type Trajectory, type TrajectoryGroup } from '../types/index.js';

/** A group whose trajectories all have a reward. */
export interface ContractGroup extends TrajectoryGroup {
  readonly trajectories: readonly (Trajectory & { reward: number })[];
}

/**
 * Groups of one role with everything on them that an estimator may require.
 *
 * @param rewards  `rewards[g][i]`.
 * @param shape    `alike`: all trajectories have the same steps, tokens and log-probs; else they have one to three steps of one
 *   to four tokens.
 */
export function contractGroups(
  rewards: readonly (readonly number[])[],
  prepare: (group: TrajectoryGroup) => void = () => undefined,
  shape: 'alike' | 'varied' = 'varied',
): readonly ContractGroup[] {
  return rewards.map((own, g) => {
    const taskId = `t${g}`;
    const mean = own.reduce((sum, reward) => sum + reward, 0) / own.length;
    const group: ContractGroup = {
      groupId: `${taskId}:solver`,
      role: 'solver',
      taskId,
      trajectories: own.map((reward, i) => trajectoryOf(taskId, i, reward, shape === 'alike' ? 1 : i + g)),
      metadata: own.map((_, i) => ({
        taskId,
        rolloutIndex: i,
        isCorrect: false,
      })),
      // Of a uniform group its very reward: then the group and what it is compared with are equal.
      baselines: [trajectoryOf(taskId, own.length, own.every((r) => r === own[0]) ? (own[0] ?? 0) : mean, 1)],
    };
    prepare(group);
    return group;
  });
}

function trajectoryOf(
  taskId: string,
  i: number,
  reward: number,
  kind: number,
): Trajectory & { reward: number } {
  const steps = Array.from({ length: 1 + (kind % 3) }, (_, s) => {
    const tokens = 1 + ((kind + s) % 4);
    const each = (value: number): number[] => Array.from({ length: tokens }, (_, t) => value - t / 16);
    return createStep({
      id: `${taskId}/${i}/${s}`,
      promptIds: [1, 2],
      responseIds: Array.from({ length: tokens }, (_, t) => 3 + t),
      logprobs: each(-0.5),
      referenceLogprobs: each(-0.625),
      teacherLogprobs: each(-0.25).map((value, t) => (t === 3 ? null : value)),
      values: each(0.25),
      observation: { room: s, at: [s, 0] },
      action: `go ${s}`,
      reward: s === kind % 3 ? reward : 0,
      done: s === kind % 3,
    });
  });
  const trajectory = createTrajectory({
    uid: `${taskId}/${i}`,
    name: 'solver',
    steps,
    reward,
    rewards: { correct: reward * 0.75, format: reward * 0.25 },
  });
  return Object.assign(trajectory, { reward });
}

/** The same value, frozen all the way down. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}
