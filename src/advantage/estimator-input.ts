import { RllmError } from '../errors.js';
import { rolloutOf, type Trajectory, type TrajectoryGroup } from '../types/index.js';
import type { Requirement } from './estimator.js';

/** A trajectory of a group, or one of its steps. */
export interface InputPlace {
  readonly group: TrajectoryGroup;
  readonly i: number;
  readonly s?: number;
}

/** That something an estimator or policy needs is not there: ESTIMATOR_INPUT, naming the step or trajectory. */
export function estimatorInput(who: string, fault: string, { group, i, s }: InputPlace): RllmError {
  const { taskId, role } = group;
  const { rolloutIndex } = rolloutOf(group, i);
  const step = s === undefined ? undefined : group.trajectories[i]?.steps[s];
  const what = step === undefined ? 'the trajectory' : `step ${s} ("${step.id}")`;
  return new RllmError(
    'ESTIMATOR_INPUT',
    `${who}: ${what} of rollout ${rolloutIndex} of task "${taskId}", role "${role}", ${fault}.`,
    { details: { taskId, role, rolloutIndex, groupId: group.groupId, stepId: step?.id ?? null } },
  );
}

/** What each requirement asks of a trajectory; each says what is wrong with it, or with one of its steps. */
const CHECKS: Readonly<
  Record<Requirement, (place: InputPlace, trajectory: Trajectory) => InputFault | undefined>
> = {
  lengths: () => undefined,
  logprobs: tokensOf('logprobs', 'log-probs'),
  values: tokensOf('values', 'critic values'),
  referenceLogprobs: tokensOf('referenceLogprobs', 'reference log-probs'),
  teacherLogprobs: tokensOf('teacherLogprobs', 'teacher log-probs'),
  greedyBaseline: ({ group }) =>
    group.baselines?.some(({ reward }) => Number.isFinite(reward)) === true
      ? undefined
      : { fault: 'has no greedy rollout with a reward to compare with' },
  rewardComponents: (_, { rewards }) =>
    rewards === undefined || Object.keys(rewards).length === 0
      ? { fault: 'has no named parts of its reward; the workflow sets trajectory.rewards' }
      : undefined,
  stepAnchors: (_, { steps }) => {
    const s = steps.findIndex(({ observation }) => observation === undefined);
    return s < 0 ? undefined : { s, fault: 'has no observation, the state in which it was taken' };
  },
};

export const REQUIREMENTS: readonly string[] = Object.keys(CHECKS);

interface InputFault {
  readonly s?: number;
  readonly fault: string;
}

type TokenField = 'logprobs' | 'values' | 'referenceLogprobs' | 'teacherLogprobs';

function tokensOf(
  field: TokenField,
  name: string,
): (place: InputPlace, trajectory: Trajectory) => InputFault | undefined {
  return (_, { steps }) => {
    const s = steps.findIndex((step) => (step[field]?.length ?? 0) !== step.responseIds.length);
    const step = steps[s];
    if (step === undefined) return undefined;
    return {
      s,
      fault: `has ${step.responseIds.length} response tokens and ${step[field]?.length ?? 0} ${name}`,
    };
  };
}

/**
 * Checks that what an estimator requires is in the trajectories it is about to see.
 *
 * @throws RllmError ESTIMATOR_INPUT for the first trajectory that lacks it.
 */
export function checkRequirements(
  name: string,
  requires: ReadonlySet<Requirement>,
  groups: readonly TrajectoryGroup[],
): void {
  for (const requirement of requires) {
    const lack = lackOf(requirement, groups);
    if (lack === undefined) continue;
    throw estimatorInput(`The advantage estimator "${name}" needs ${requirement}`, lack.fault, lack.place);
  }
}

/** Whether all trajectories have what a requirement asks of them. */
export function isMet(requirement: Requirement, groups: readonly TrajectoryGroup[]): boolean {
  return lackOf(requirement, groups) === undefined;
}

/** The first place that lacks what is required. */
function lackOf(
  requirement: Requirement,
  groups: readonly TrajectoryGroup[],
): { readonly place: InputPlace; readonly fault: string } | undefined {
  if (requirement === 'lengths') return undefined;
  const check = CHECKS[requirement];
  const isPartly = requirement === 'teacherLogprobs' && groups.some(haveTeacher);
  for (const group of groups) {
    for (const [i, trajectory] of group.trajectories.entries()) {
      const found = check({ group, i }, isPartly ? withTeacher(trajectory) : trajectory);
      if (found === undefined) continue;
      const { s, fault } = found;
      return { place: s === undefined ? { group, i } : { group, i, s }, fault };
    }
  }
  return undefined;
}

function haveTeacher({ trajectories }: TrajectoryGroup): boolean {
  return trajectories.some(({ steps }) => steps.some(({ teacherLogprobs }) => teacherLogprobs !== undefined));
}

/** Where a teacher has something for others, it may have nothing for a step: none of its tokens is matched then. */
function withTeacher(trajectory: Trajectory): Trajectory {
  const steps = trajectory.steps.map((step) =>
    step.teacherLogprobs === undefined
      ? { ...step, teacherLogprobs: step.responseIds.map(() => null) }
      : step,
  );
  return { ...trajectory, steps };
}
