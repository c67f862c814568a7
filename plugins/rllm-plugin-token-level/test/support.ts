import {
  createApp,
  createStep,
  createTrajectory,
  type EstimatorRegistry,
  resolveConfig,
  type Step,
  type Trajectory,
  type TrajectoryGroup,
} from 'rllm-sdk';
import { expect } from 'vitest';
import plugin from '../src/index.js';

type Algorithm = ReturnType<typeof resolveConfig>['algorithm'];

/** One step in few words. */
export interface StepSketch {
  /** Tokens sampled. */
  readonly tokens: number;
  /** Tokens read since the step before. */
  readonly observed?: number;
  readonly reward?: number;
  readonly logprobs?: readonly number[];
  readonly values?: readonly number[];
  readonly referenceLogprobs?: readonly number[];
  readonly teacherLogprobs?: readonly (number | null)[];
}

/** A trajectory whose steps go on with one conversation: each prompt holds all that came before, and what was read. */
export function trajectoryOf(reward: number, sketches: readonly StepSketch[], uid = 'x'): Trajectory {
  let context = 3;
  const steps = sketches.map((sketch, s): Step => {
    const { tokens, observed = 0, values, referenceLogprobs, teacherLogprobs } = sketch;
    const prompt = context + (s === 0 ? 0 : observed);
    context = prompt + tokens;
    const step = createStep({
      id: `${uid}-${s}`,
      promptIds: new Array<number>(prompt).fill(1),
      responseIds: new Array<number>(tokens).fill(2),
      logprobs: sketch.logprobs ?? [],
      reward: sketch.reward ?? 0,
    });
    if (values !== undefined) step.values = values;
    if (referenceLogprobs !== undefined) step.referenceLogprobs = referenceLogprobs;
    if (teacherLogprobs !== undefined) step.teacherLogprobs = teacherLogprobs;
    return step;
  });
  return createTrajectory({ uid, name: 'solver', reward, steps });
}

export function groupOfTrajectories(
  trajectories: readonly Trajectory[],
  { taskId = 't', reasons = [] as readonly string[] } = {},
): TrajectoryGroup {
  return {
    groupId: `${taskId}:solver`,
    role: 'solver',
    taskId,
    trajectories,
    metadata: trajectories.map((_, rolloutIndex) => ({
      taskId,
      rolloutIndex,
      episodeId: `${taskId}:${rolloutIndex}`,
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
