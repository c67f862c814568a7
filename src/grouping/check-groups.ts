import { RllmError } from '../errors.js';
import { type Episode, type Step, type Trajectory, type TrajectoryGroup, wholeOf } from '../types/index.js';

/**
 * Checks what a grouping hook returned against the episodes it was given.
 *
 * @returns  the groups, now known to be of their type.
 * @throws RllmError GROUPING_HOOK for anything but a list of groups, an empty group, a trajectory that is neither one of the
 *   episodes' own objects nor a part of one (`trajectoryPart`), a trajectory or step that stands in two places, and metadata that
 *   does not fit, entry by entry, its trajectory.
 */
export function checkGroups(groups: unknown, episodes: readonly Episode[]): readonly TrajectoryGroup[] {
  if (!Array.isArray(groups)) {
    const what = groups instanceof Promise ? 'a promise' : `a value of type ${typeof groups}`;
    throw fault(`was to return a list of groups, and returned ${what}`);
  }
  const origins = new Map<Trajectory, Episode>();
  for (const episode of episodes) {
    for (const trajectory of episode.trajectories) origins.set(trajectory, episode);
  }
  const places: Places = { trajectories: new Map(), steps: new Map() };
  groups.forEach((candidate: unknown, g) => {
    const group = checkShape(candidate, g);
    const { groupId, trajectories, metadata } = group;
    trajectories.forEach((trajectory, i) => {
      const whole = isObject(trajectory) ? wholeOf(trajectory) : trajectory;
      const episode = origins.get(whole);
      const which = (): string => `trajectory ${i} ("${trajectory?.uid}") of group "${groupId}"`;
      if (episode === undefined) {
        throw fault(
          `returned ${which()}, which is in none of the episodes given; return the objects themselves, no copies`,
          groupId,
        );
      }
      const other =
        trajectory === whole ? place(whole, groupId, places) : placePart(trajectory, groupId, places);
      if (other !== undefined) throw fault(`put ${which()} into group "${other}" too`, groupId);
      const origin = metadata[i];
      if (origin?.taskId !== episode.taskId || origin.rolloutIndex !== episode.rolloutIndex) {
        throw fault(
          `gave ${which()} the origin ${JSON.stringify([origin?.taskId, origin?.rolloutIndex])}; it comes from ${JSON.stringify([episode.taskId, episode.rolloutIndex])}`,
          groupId,
        );
      }
    });
  });
  return groups;
}

/** Which group holds what: trajectories as wholes, and steps of parts. */
interface Places {
  readonly trajectories: Map<Trajectory, string>;
  readonly steps: Map<Step, string>;
}

/** Places a whole trajectory. @returns the group that holds it, or a part of it, already. */
function place(whole: Trajectory, groupId: string, { trajectories, steps }: Places): string | undefined {
  const other = trajectories.get(whole) ?? (steps.size === 0 ? undefined : groupOfAny(whole.steps, steps));
  trajectories.set(whole, groupId);
  return other;
}

/** Places the steps of a part. @returns the group that holds its whole, or one of the steps, already. */
function placePart(part: Trajectory, groupId: string, { trajectories, steps }: Places): string | undefined {
  const whole = wholeOf(part);
  if (part.steps.length === 0 || !part.steps.every((step) => whole.steps.includes(step))) {
    throw fault(
      `returned "${part.uid}" as a part of "${whole.uid}", whose steps are not the steps of that trajectory; make parts with trajectoryPart`,
      groupId,
    );
  }
  const other = trajectories.get(whole) ?? groupOfAny(part.steps, steps);
  for (const step of part.steps) steps.set(step, groupId);
  return other;
}

function groupOfAny(own: readonly Step[], placed: ReadonlyMap<Step, string>): string | undefined {
  for (const step of own) {
    const groupId = placed.get(step);
    if (groupId !== undefined) return groupId;
  }
  return undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function checkShape(value: unknown, g: number): TrajectoryGroup {
  const group = typeof value === 'object' && value !== null ? (value as Partial<TrajectoryGroup>) : {};
  const { groupId, role, taskId, trajectories, metadata } = group;
  if (typeof groupId !== 'string' || typeof role !== 'string' || typeof taskId !== 'string') {
    throw fault(`returned group ${g} without the texts groupId, role and taskId`);
  }
  if (!Array.isArray(trajectories) || trajectories.length === 0) {
    throw fault(`returned group "${groupId}" without trajectories`, groupId);
  }
  if (!Array.isArray(metadata) || metadata.length !== trajectories.length) {
    const got = Array.isArray(metadata) ? metadata.length : 'no';
    throw fault(
      `returned group "${groupId}" with ${trajectories.length} trajectories and ${got} origins`,
      groupId,
    );
  }
  return { groupId, role, taskId, trajectories, metadata };
}

function fault(what: string, groupId?: string): RllmError {
  return new RllmError('GROUPING_HOOK', `The grouping hook ${what}.`, {
    details: { groupId: groupId ?? null },
  });
}
