import {
  type AlgorithmConfig,
  createStep,
  createTrajectory,
  resolveConfig,
  type TrajectoryGroup,
} from 'rllm-sdk';

export const algorithm: AlgorithmConfig = resolveConfig({}).algorithm;

export interface GroupInit {
  readonly role?: string;
  readonly taskId?: string;
  /** `tokens[i][s]`: response tokens of step s of trajectory i; by default one step of one token. */
  readonly tokens?: readonly (readonly number[])[];
  /** Named components of each trajectory; absent for one that has none. */
  readonly components?: readonly (Record<string, number> | undefined)[];
  /** Rollout of each trajectory; by default each is of its own. */
  readonly rollouts?: readonly number[];
}

/** A group of one task and role, as the SDK gives it to an estimator. */
export function group(rewards: readonly number[], init: GroupInit = {}): TrajectoryGroup {
  const { role = 'solver', taskId = 't', tokens = [], components = [], rollouts = [] } = init;
  return {
    groupId: `${taskId}:${role}`,
    role,
    taskId,
    trajectories: rewards.map((reward, i) => {
      const named = components[i];
      return createTrajectory({
        name: role,
        reward,
        ...(named === undefined ? {} : { rewards: named }),
        steps: (tokens[i] ?? [1]).map((length) =>
          createStep({ promptIds: [1, 2, 3], responseIds: new Array<number>(length).fill(0) }),
        ),
      });
    }),
    metadata: rewards.map((_, i) => {
      const rolloutIndex = rollouts[i] ?? i;
      return { taskId, rolloutIndex, episodeId: `${taskId}:${rolloutIndex}`, isCorrect: false };
    }),
  };
}

/** Rounded to `digits` decimals, for comparison with numbers worked out by hand. */
export function rounded(groups: readonly ArrayLike<number>[], digits = 6): number[][] {
  return groups.map((own) => Array.from(own, (value) => Number(value.toFixed(digits))));
}

export function sum(values: ArrayLike<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}

/** Mean by its definition. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Std by its definition. */
export function std(values: readonly number[], ddof: 0 | 1): number {
  return Math.sqrt(sum(values.map((value) => (value - mean(values)) ** 2)) / (values.length - ddof));
}
