import { type App, createApp, type RllmConfigInput, type TrajectoryGroup } from 'rllm-sdk';
import { groupOf } from 'rllm-sdk/testing';
import plugin from '../src/index.js';

/** A step in few words: the state it was taken in, its reward, the number of its response tokens. */
export type StepSketch = readonly [observation: unknown, reward?: number, tokens?: number];

/** A group whose trajectories have these rewards and steps. */
export function groupOfSteps(
  rewards: readonly number[],
  steps: readonly (readonly StepSketch[])[],
  taskId = 'task',
): TrajectoryGroup {
  return groupOf(rewards, {
    taskId,
    steps: rewards.map((_, i) =>
      (steps[i] ?? []).map(([observation, reward = 0, tokens = 2]) => ({ observation, reward, tokens })),
    ),
  });
}

/** An app with the plugin and nothing else. */
export function appWith(config: RllmConfigInput = {}): Promise<App> {
  return createApp(config, { plugins: [plugin], useDeclared: false });
}

/** Advantages of the steps of groups, `[g][i][s]`, after a collection: one number where all tokens of a step have it. */
export function advantagesOfSteps(groups: readonly TrajectoryGroup[]): unknown[][][] {
  return groups.map(({ trajectories }) =>
    trajectories.map(({ steps }) =>
      steps.map(({ advantage }) => {
        if (!Array.isArray(advantage)) return advantage;
        return new Set(advantage).size === 1 ? advantage[0] : advantage;
      }),
    ),
  );
}

export function lists(advantages: readonly (readonly ArrayLike<number>[])[]): number[][][] {
  return advantages.map((group) => group.map((own) => Array.from(own)));
}
