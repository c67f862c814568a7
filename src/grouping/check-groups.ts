import { RllmError } from '../errors.js';
import type { Episode, Trajectory, TrajectoryGroup } from '../types/index.js';

/**
 * Checks what a grouping hook returned against the episodes it was given.
 *
 * @returns  the groups, now known to be of their type.
 * @throws RllmError GROUPING_HOOK for anything but a list of groups, an empty group, a trajectory that is not one of the
 *   episodes' own objects, one that stands in two places, and metadata that does not fit, entry by entry, its trajectory.
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
  const placed = new Map<Trajectory, string>();
  groups.forEach((candidate: unknown, g) => {
    const group = checkShape(candidate, g);
    const { groupId, trajectories, metadata } = group;
    trajectories.forEach((trajectory, i) => {
      const episode = origins.get(trajectory);
      const which = `trajectory ${i} ("${trajectory?.uid}") of group "${groupId}"`;
      if (episode === undefined) {
        throw fault(
          `returned ${which}, which is in none of the episodes given; return the objects themselves, no copies`,
          groupId,
        );
      }
      const other = placed.get(trajectory);
      if (other !== undefined) throw fault(`put ${which} into group "${other}" too`, groupId);
      placed.set(trajectory, groupId);
      const origin = metadata[i];
      if (origin?.taskId !== episode.taskId || origin.rolloutIndex !== episode.rolloutIndex) {
        throw fault(
          `gave ${which} the origin ${JSON.stringify([origin?.taskId, origin?.rolloutIndex])}; it comes from ${JSON.stringify([episode.taskId, episode.rolloutIndex])}`,
          groupId,
        );
      }
    });
  });
  return groups;
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
