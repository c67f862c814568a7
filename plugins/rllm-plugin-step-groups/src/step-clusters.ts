import { RllmError, type Trajectory, type TrajectoryGroup } from 'rllm-sdk';
import { canonicalText } from './canonical-text.js';

/** A step of a group: step `step` of trajectory `trajectory`, both from 0. */
export interface StepPlace {
  readonly trajectory: number;
  readonly step: number;
}

/** Steps of one group that were taken in the same state. */
export interface StepCluster {
  /** The state, as `canonicalText` writes it. */
  readonly anchor: string;
  /** In the order of the trajectories, then of the steps. One trajectory that comes back to a state stands here twice. */
  readonly members: readonly StepPlace[];
}

export interface AnchorOptions {
  /** Keys of observations that do not count, at every depth. */
  readonly ignoreKeys?: readonly string[];
}

/**
 * The clusters of steps that GiGPO and `step_reinforce` compare with each other, one list per group, in the order in which their
 * states first occur: to see whether these estimators have anything to compare. Where every cluster has one member, GiGPO is
 * GRPO and `step_reinforce` teaches nothing; a timestamp in the observations is the usual cause.
 *
 * @throws RllmError ESTIMATOR_INPUT when a step has no observation, or one that is no plain data; the message names the step.
 */
export function stepClusters(
  groups: readonly TrajectoryGroup[],
  options: AnchorOptions = {},
): readonly (readonly StepCluster[])[] {
  return anchorsOf(groups, options).map(clustersOf);
}

/** Share of the steps that stand in a cluster with another step, in [0, 1]; 0 without steps. */
export function sharedSteps(clusters: readonly (readonly StepCluster[])[]): number {
  let steps = 0;
  let shared = 0;
  for (const { members } of clusters.flat()) {
    steps += members.length;
    if (members.length > 1) shared += members.length;
  }
  return steps === 0 ? 0 : shared / steps;
}

/**
 * The state in which each step was taken, `anchors[g][i][s]`, as text.
 *
 * @throws RllmError as `stepClusters` does.
 */
export function anchorsOf(
  groups: readonly TrajectoryGroup[],
  { ignoreKeys = [] }: AnchorOptions = {},
): readonly (readonly (readonly string[])[])[] {
  const ignored = new Set(ignoreKeys);
  return groups.map((group) => group.trajectories.map((trajectory) => anchorsIn(trajectory, group, ignored)));
}

function anchorsIn(
  { uid, steps }: Trajectory,
  { groupId }: TrajectoryGroup,
  ignored: ReadonlySet<string>,
): readonly string[] {
  return steps.map(({ observation }, s) => {
    const which = `Step ${s} of trajectory "${uid}" in group "${groupId}"`;
    if (observation === undefined) {
      throw new RllmError(
        'ESTIMATOR_INPUT',
        `${which} has no observation; set the state in which the model was asked as observation of the step: agent.lastStep.observation = …`,
      );
    }
    try {
      return canonicalText(observation, ignored);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RllmError('ESTIMATOR_INPUT', `${which}: ${why}`, { cause });
    }
  });
}

/** The clusters of one group. @param anchors  `anchors[i][s]`. */
function clustersOf(anchors: readonly (readonly string[])[]): readonly StepCluster[] {
  const byAnchor = new Map<string, StepPlace[]>();
  anchors.forEach((own, trajectory) => {
    own.forEach((anchor, step) => {
      const members = byAnchor.get(anchor);
      if (members === undefined) byAnchor.set(anchor, [{ trajectory, step }]);
      else members.push({ trajectory, step });
    });
  });
  return Array.from(byAnchor, ([anchor, members]) => ({ anchor, members }));
}
