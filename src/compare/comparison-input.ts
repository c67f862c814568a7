import { isMet, type Requirement, type StepSize } from '../advantage/index.js';
import type { TrajectoryGroup } from '../types/index.js';

/** Groups to compare estimators on, and what an estimator may read of them besides their rewards. */
export interface ComparisonInput {
  readonly groups: readonly TrajectoryGroup[];
  readonly provides: ReadonlySet<Requirement>;
}

const REQUIREMENTS = [
  'lengths',
  'logprobs',
  'values',
  'referenceLogprobs',
  'teacherLogprobs',
  'greedyBaseline',
  'rewardComponents',
  'stepAnchors',
] as const satisfies readonly Requirement[];

/** Groups of a run: they provide what an estimator that requires it would find in all of them. */
export function inputOfGroups(groups: readonly TrajectoryGroup[]): ComparisonInput {
  const haveSteps = groups.some(({ trajectories }) => trajectories.some(({ steps }) => steps.length > 0));
  const provides = REQUIREMENTS.filter((requirement) => haveSteps && isMet(requirement, groups));
  return { groups, provides: new Set(provides) };
}

/** Groups that are of no run, as a step of one: each is a task, and the largest has all its rollouts. */
export function sizeOfGroups(groups: readonly TrajectoryGroup[]): StepSize {
  const rollouts = groups.reduce((most, { trajectories }) => Math.max(most, trajectories.length), 0);
  return { rollouts, tasksPerBatch: groups.length };
}
