import {
  createApp,
  type EstimatorRegistry,
  resolveConfig,
  type Step,
  type TerminationReason,
  type Trajectory,
  type TrajectoryGroup,
} from 'rllm-sdk';
import * as build from 'rllm-sdk/testing';
import { expect } from 'vitest';
import plugin from '../src/index.js';

type StepSketch = build.StepSketch;
type Algorithm = ReturnType<typeof resolveConfig>['algorithm'];

/** A trajectory of a solver; a step has log-probs only where the sketch has. */
export function trajectoryOf(reward: number, sketches: readonly StepSketch[], uid = 'x'): Trajectory {
  const steps = sketches.map((sketch) => ({ logprobs: [], ...sketch }));
  return build.trajectoryOf(reward, steps, { uid, role: 'solver' });
}

export function groupOfTrajectories(
  trajectories: readonly Trajectory[],
  { taskId = 't', reasons = [] as readonly TerminationReason[] } = {},
): TrajectoryGroup {
  return {
    groupId: `${taskId}:solver`,
    role: 'solver',
    taskId,
    trajectories,
    metadata: trajectories.map((_, rolloutIndex) => ({
      taskId,
      rolloutIndex,
      isCorrect: false,
      terminationReason: reasons[rolloutIndex] ?? 'env_done',
    })),
  };
}

/** Default settings with an estimator of this package. */
export function algorithmOf(
  estimator: string,
  options: Readonly<Record<string, unknown>> = {},
  overrides: Partial<Algorithm> = {},
): Algorithm {
  return {
    ...resolveConfig({}).algorithm,
    estimator,
    estimatorOptions: { [estimator]: options },
    ...overrides,
  };
}

/** The registry of an app that has the plugin. */
export async function withRegistry<T>(use: (registry: EstimatorRegistry) => T): Promise<T> {
  await using app = await createApp({}, { plugins: [plugin], useDeclared: false });
  return use(app.estimators);
}

/** What an estimator answers when it is called itself. */
export async function estimate(
  name: string,
  groups: readonly TrajectoryGroup[],
  { options = {}, overrides = {} }: EstimateSketch = {},
): Promise<readonly (readonly ArrayLike<number>[])[]> {
  const algorithm = algorithmOf(name, options, overrides);
  return withRegistry((registry) => {
    const { advantages } = registry.get(name).estimate({
      role: 'solver',
      rewards: groups.map(({ trajectories }) => Float64Array.from(trajectories, ({ reward }) => reward ?? 0)),
      groups,
      algorithm,
      options: registry.optionsOf(name, algorithm),
    });
    return advantages as readonly (readonly ArrayLike<number>[])[];
  });
}

interface EstimateSketch {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly overrides?: Partial<Algorithm>;
}

/** The advantages that steps carry: per trajectory one list per step. */
export function stepAdvantages({ trajectories }: TrajectoryGroup): (Step['advantage'] | null)[][] {
  return trajectories.map(({ steps }) => steps.map(({ advantage }) => advantage ?? null));
}

type Nested = readonly (readonly ArrayLike<number>[])[];

export function expectRows(
  got: Nested,
  expected: readonly (readonly (readonly number[])[])[],
  digits = 10,
): void {
  expect(got.map((group) => group.map(({ length }) => length))).toEqual(
    expected.map((group) => group.map(({ length }) => length)),
  );
  expected.forEach((group, g) => {
    group.forEach((row, i) => {
      row.forEach((value, t) => {
        expect(got[g]?.[i]?.[t], `group ${g}, trajectory ${i}, token ${t}`).toBeCloseTo(value, digits);
      });
    });
  });
}

/** All numbers of all rows. */
export function flat(rows: Nested): number[] {
  return rows.flatMap((group) => group.flatMap((row) => Array.from(row)));
}
