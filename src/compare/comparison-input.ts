import type { Requirement, StepSize } from '../advantage/index.js';
import type { Step, TrajectoryGroup } from '../types/index.js';

/** Groups to compare estimators on, and what an estimator may read of them besides their rewards. */
export interface ComparisonInput {
  readonly groups: readonly TrajectoryGroup[];
  readonly provides: ReadonlySet<Requirement>;
}

/** Groups of a run: what all their trajectories have, they provide. */
export function inputOfGroups(groups: readonly TrajectoryGroup[]): ComparisonInput {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const steps = trajectories.flatMap((trajectory) => trajectory.steps);
  const everyStep = (has: (step: Step) => boolean): boolean => steps.length > 0 && steps.every(has);
  const has: Readonly<Record<Requirement, boolean>> = {
    lengths: everyStep(() => true),
    logprobs: everyStep(({ logprobs, responseIds }) => logprobs.length === responseIds.length),
    values: everyStep(({ values }) => values !== undefined),
    referenceLogprobs: everyStep(({ referenceLogprobs }) => referenceLogprobs !== undefined),
    teacherLogprobs: everyStep(({ teacherLogprobs }) => teacherLogprobs !== undefined),
    greedyBaseline: groups.length > 0 && groups.every(({ baselines = [] }) => baselines.length > 0),
    rewardComponents: trajectories.length > 0 && trajectories.every(({ rewards }) => rewards !== undefined),
    stepAnchors: everyStep(({ observation }) => observation !== undefined),
  };
  const names = Object.entries(has).filter(([, given]) => given);
  return { groups, provides: new Set(names.map(([name]) => name as Requirement)) };
}

/** Groups that are of no run, as a step of one: each is a task, and the largest has all its rollouts. */
export function sizeOfGroups(groups: readonly TrajectoryGroup[]): StepSize {
  const rollouts = groups.reduce((most, { trajectories }) => Math.max(most, trajectories.length), 0);
  return { rollouts, tasksPerBatch: groups.length };
}
