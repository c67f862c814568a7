import { builtInEstimators, EstimatorRegistry } from '../../src/advantage/index.js';
import { DEFAULT_CONFIG } from '../../src/config/index.js';
import type { AlgorithmConfig } from '../../src/config/types.js';
import { declarationsOf } from '../../src/declarations.js';
import { createStep, createTrajectory, type Step, type TrajectoryGroup } from '../../src/types/index.js';

/** The defaults of the config, with some fields changed. */
export function algorithm(overrides: Partial<AlgorithmConfig> = {}): AlgorithmConfig {
  return { ...DEFAULT_CONFIG.algorithm, ...overrides };
}

/** A registry with the built-in estimators, filled as an app fills it. */
export function builtInRegistry(): EstimatorRegistry {
  const registry = new EstimatorRegistry();
  for (const estimator of builtInEstimators) {
    for (const declaration of declarationsOf(estimator)) registry.add(declaration, 'built-in');
  }
  return registry;
}

/** A group of one task and role; each trajectory has one step per number in `tokens`, with that many response tokens. */
export function group(
  rewards: readonly (number | undefined)[],
  options: { role?: string; taskId?: string; tokens?: readonly number[]; advantage?: Step['advantage'] } = {},
): TrajectoryGroup {
  const { role = 'solver', taskId = 't', tokens = [2], advantage } = options;
  return {
    groupId: `${taskId}:${role}`,
    role,
    taskId,
    trajectories: rewards.map((reward, i) =>
      createTrajectory({
        uid: `${taskId}-${i}-${role}`,
        name: role,
        steps: tokens.map((length, s) =>
          createStep({
            id: `${taskId}-${i}-${s}`,
            responseIds: Array.from({ length }, (_, t) => t),
            ...(advantage === undefined ? {} : { advantage }),
          }),
        ),
        ...(reward === undefined ? {} : { reward }),
      }),
    ),
    metadata: rewards.map((_, i) => ({
      taskId,
      rolloutIndex: i,
      isCorrect: false,
    })),
  };
}

/** The advantage of the first step of each trajectory. */
export function advantagesOf({ trajectories }: TrajectoryGroup): (Step['advantage'] | null)[] {
  return trajectories.map(({ steps }) => steps[0]?.advantage ?? null);
}

/** What `golden/README.md` allows: 1e-9 relative, 1e-12 absolute, and 8 ulp of the largest reward. */
export function isClose(got: number, expected: number, largestReward: number): boolean {
  const allowed = 1e-9 * Math.abs(expected) + 1e-12 + 8 * Number.EPSILON * largestReward;
  return Math.abs(got - expected) <= allowed;
}
