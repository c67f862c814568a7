import { RllmError } from '../errors.js';
import { rolloutOf, type Step, type Trajectory, type TrajectoryGroup } from '../types/index.js';
import type { CheckedAdvantages } from './check-estimates.js';

/**
 * Sets `advantage` of every step of the groups: the trajectory's number, or the list of the step's own tokens. Earlier returns go.
 *
 * @returns  how many of the groups had an advantage already.
 */
export function writeAdvantages(groups: readonly TrajectoryGroup[], advantages: CheckedAdvantages): number {
  const { perToken, values } = advantages;
  let overwritten = 0;
  let next = 0;
  for (let g = 0; g < groups.length; g++) {
    const { trajectories } = groups[g] as TrajectoryGroup;
    let hadOne = false;
    for (let i = 0; i < trajectories.length; i++) {
      const { steps } = trajectories[i] as Trajectory;
      for (let s = 0; s < steps.length; s++) {
        const step = steps[s] as Step;
        if (step.returns !== undefined) delete step.returns;
        if (!hadOne && step.advantage !== undefined) hadOne = true;
        if (perToken) {
          const end = next + step.responseIds.length;
          step.advantage = Array.from(values.subarray(next, end));
          next = end;
        } else {
          step.advantage = values[next] as number;
        }
      }
      if (!perToken) next++;
    }
    if (hadOne) overwritten++;
  }
  return overwritten;
}

/** Sets `returns` of every step of the groups to those of its own tokens. */
export function writeReturns(groups: readonly TrajectoryGroup[], { values }: CheckedAdvantages): void {
  let next = 0;
  for (const { trajectories } of groups) {
    for (const { steps } of trajectories) {
      for (const step of steps) {
        const end = next + step.responseIds.length;
        step.returns = Array.from(values.subarray(next, end));
        next = end;
      }
    }
  }
}

/** Sets one advantage for every step of a group. @returns whether it had one already */
export function writeConstant(group: TrajectoryGroup, advantage: number): boolean {
  let hadOne = false;
  for (const { steps } of group.trajectories) {
    for (const step of steps) {
      if (step.advantage !== undefined) hadOne = true;
      step.advantage = advantage;
    }
  }
  return hadOne;
}

/** Bounds advantages to [−clip, clip]: a copy of them; `null` leaves them. */
export function clipAdvantages(advantages: CheckedAdvantages, clip: number | null): CheckedAdvantages {
  if (clip === null) return advantages;
  const values = advantages.values.map((value) => Math.min(Math.max(value, -clip), clip));
  return { ...advantages, values };
}

/** Takes away advantages of an earlier batch or of the workflow, so that nothing trains on them. */
export function clearAdvantages({ steps }: Trajectory): void {
  for (const step of steps) {
    delete step.advantage;
    delete step.returns;
  }
}

/**
 * Settles the advantages that a workflow has set itself: a number holds for all tokens of its step, a list is per token, and a
 * step without any gets 0. Lists stay the workflow's own, unless a clip changes them.
 *
 * @param clip  bound of each advantage, `null` for none.
 * @returns  the advantage of every response token of the group, in order, for metrics.
 * @throws RllmError ADVANTAGE_LENGTH when a list is not as long as the response, ADVANTAGE_NOT_FINITE; both name the step.
 */
export function settlePrecomputed(group: TrajectoryGroup, clip: number | null = null): Float64Array {
  const bound = (value: number): number => (clip === null ? value : Math.min(Math.max(value, -clip), clip));
  const values: number[] = [];
  group.trajectories.forEach((trajectory, i) => {
    trajectory.steps.forEach((step, s) => {
      const advantage = step.advantage ?? 0;
      const tokens = step.responseIds.length;
      if (typeof advantage !== 'number' && advantage.length !== tokens) {
        throw new RllmError(
          'ADVANTAGE_LENGTH',
          `${nameOf(step, s, i, group)} has ${tokens} response tokens and ${advantage.length} precomputed advantages.`,
          { details: { ...detailsOf(step, i, group), expected: tokens, got: advantage.length } },
        );
      }
      const each = typeof advantage === 'number' ? new Array<number>(tokens).fill(advantage) : advantage;
      for (const value of each) {
        if (typeof value !== 'number' || !Number.isFinite(value)) {
          throw new RllmError(
            'ADVANTAGE_NOT_FINITE',
            `${nameOf(step, s, i, group)} has the precomputed advantage ${String(value)}, not a finite number.`,
            { details: detailsOf(step, i, group) },
          );
        }
        values.push(bound(value) + 0);
      }
      if (typeof advantage === 'number') step.advantage = bound(advantage) + 0;
      else step.advantage = clip === null ? advantage : advantage.map(bound);
    });
  });
  return Float64Array.from(values);
}

function nameOf(step: Step, s: number, i: number, group: TrajectoryGroup): string {
  const { rolloutIndex } = rolloutOf(group, i);
  return `Step ${s} ("${step.id}") of rollout ${rolloutIndex} of task "${group.taskId}", role "${group.role}",`;
}

function detailsOf(step: Step, i: number, group: TrajectoryGroup): Readonly<Record<string, unknown>> {
  const { taskId, role, groupId } = group;
  return { stepId: step.id, taskId, role, groupId, rolloutIndex: rolloutOf(group, i).rolloutIndex };
}
