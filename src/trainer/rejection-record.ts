import { RllmError } from '../errors.js';
import type { Episode, RejectionSamplingState, Trajectory, TrajectoryGroup } from '../types/index.js';

/** Where a trajectory of a group stands among the episodes. */
interface TrajectoryPlace {
  readonly episode: number;
  readonly trajectory: number;
}

/** A rejection sampling state as JSON. Groups point into episodes, so that both hold the same objects again when read. */
export interface RejectionRecord extends Omit<RejectionSamplingState, 'groups'> {
  readonly groups: readonly (Omit<TrajectoryGroup, 'trajectories'> & {
    readonly trajectories: readonly (TrajectoryPlace | Trajectory)[];
  })[];
}

export function toRejectionRecord(state: RejectionSamplingState): RejectionRecord {
  const places = new Map<Trajectory, TrajectoryPlace>();
  state.episodes.forEach((episode, e) => {
    episode.trajectories.forEach((trajectory, t) => {
      places.set(trajectory, { episode: e, trajectory: t });
    });
  });
  return {
    ...state,
    groups: state.groups.map((group) => ({
      ...group,
      trajectories: group.trajectories.map((trajectory) => places.get(trajectory) ?? trajectory),
    })),
  };
}

/** @throws RllmError CHECKPOINT_INVALID when a group points to a trajectory that is not there. */
export function fromRejectionRecord(record: RejectionRecord): RejectionSamplingState {
  return {
    ...record,
    groups: record.groups.map((group) => ({
      ...group,
      trajectories: group.trajectories.map((place) => trajectoryAt(place, record.episodes)),
    })),
  };
}

function trajectoryAt(place: TrajectoryPlace | Trajectory, episodes: readonly Episode[]): Trajectory {
  if (!('episode' in place)) return place;
  const trajectory = episodes[place.episode]?.trajectories[place.trajectory];
  if (trajectory !== undefined) return trajectory;
  throw new RllmError(
    'CHECKPOINT_INVALID',
    `The checkpoint's rejection state points to trajectory ${place.trajectory} of episode ${place.episode}, which is not there.`,
  );
}
