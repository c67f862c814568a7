import { RllmError } from '../errors.js';
import {
  type Episode,
  type RejectionSamplingState,
  type Trajectory,
  type TrajectoryGroup,
  type TrajectoryOrigin,
  trajectoryPart,
  wholeOf,
} from '../types/index.js';

/** Where a trajectory of a group stands among the episodes. */
interface TrajectoryPlace {
  readonly episode: number;
  readonly trajectory: number;
  /** For a part of it: its first step, the one after its last, and its reward. */
  readonly part?: { readonly from: number; readonly to: number; readonly reward?: number };
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
      trajectories: group.trajectories.map((trajectory) => placeOf(trajectory, places) ?? trajectory),
      metadata: group.metadata.map(originOf),
    })),
  };
}

/** No more than that: groups mostly hold whole episodes. */
function originOf({
  taskId,
  rolloutIndex,
  terminationReason,
  isCorrect,
}: TrajectoryOrigin): TrajectoryOrigin {
  return {
    taskId,
    rolloutIndex,
    ...(terminationReason === undefined ? {} : { terminationReason }),
    isCorrect,
  };
}

function placeOf(
  trajectory: Trajectory,
  places: ReadonlyMap<Trajectory, TrajectoryPlace>,
): TrajectoryPlace | undefined {
  const whole = wholeOf(trajectory);
  const place = places.get(whole);
  const [first] = trajectory.steps;
  if (place === undefined || whole === trajectory || first === undefined) return place;
  const from = whole.steps.indexOf(first);
  const { reward, steps } = trajectory;
  return { ...place, part: { from, to: from + steps.length, ...(reward === undefined ? {} : { reward }) } };
}

/** @throws RllmError CHECKPOINT_INVALID when a group points to a trajectory or a step that is not there. */
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
  const { part } = place;
  if (trajectory !== undefined && part === undefined) return trajectory;
  if (trajectory !== undefined && part !== undefined && trajectory.steps.length >= part.to) {
    return trajectoryPart(trajectory, part.from, part.to, part.reward);
  }
  throw new RllmError(
    'CHECKPOINT_INVALID',
    `The checkpoint's rejection state points to trajectory ${place.trajectory} of episode ${place.episode}, which is not there.`,
  );
}
