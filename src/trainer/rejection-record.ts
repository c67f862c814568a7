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
  /** For a part of it: its first step, the one after its last, and what it says of itself. */
  readonly part?: { readonly from: number; readonly to: number } & PartFields;
}

/** What a hook may have set on a part. */
type PartFields = Partial<Pick<Trajectory, 'uid' | 'name' | 'reward' | 'rewards'>>;

/** A rejection sampling state as JSON. Groups point into episodes, so that both hold the same objects again when read. */
export interface RejectionRecord extends Omit<RejectionSamplingState, 'groups'> {
  readonly groups: readonly (Omit<TrajectoryGroup, 'trajectories' | 'metadata'> & {
    readonly trajectories: readonly (TrajectoryPlace | Trajectory)[];
    /** Null where it is the very episode of the trajectory. */
    readonly metadata: readonly (TrajectoryOrigin | null)[];
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
    groups: state.groups.map((group) => {
      const at = group.trajectories.map((trajectory) => placeOf(trajectory, places));
      return {
        ...group,
        trajectories: group.trajectories.map((trajectory, i) => at[i] ?? trajectory),
        metadata: group.metadata.map((origin, i) =>
          origin === state.episodes[at[i]?.episode ?? -1] ? null : originOf(origin),
        ),
      };
    }),
  };
}

/** No more than that, since a hook may hand on whole copies of episodes. */
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
  const { uid, name, steps, reward, rewards } = trajectory;
  const fields = {
    uid,
    name,
    ...(reward === undefined ? {} : { reward }),
    ...(rewards === undefined ? {} : { rewards }),
  };
  return { ...place, part: { from, to: from + steps.length, ...fields } };
}

/** @throws RllmError CHECKPOINT_INVALID when a group points to a trajectory or a step that is not there. */
export function fromRejectionRecord(record: RejectionRecord): RejectionSamplingState {
  return {
    ...record,
    groups: record.groups.map((group) => ({
      ...group,
      trajectories: group.trajectories.map((place) => trajectoryAt(place, record.episodes)),
      metadata: group.metadata.map(
        (origin, i) => origin ?? episodeAt(group.trajectories[i], record.episodes),
      ),
    })),
  };
}

function trajectoryAt(place: TrajectoryPlace | Trajectory, episodes: readonly Episode[]): Trajectory {
  if (!('episode' in place)) return place;
  const trajectory = episodes[place.episode]?.trajectories[place.trajectory];
  const { part } = place;
  if (trajectory !== undefined && part === undefined) return trajectory;
  if (trajectory !== undefined && part !== undefined && trajectory.steps.length >= part.to) {
    const { from, to, ...fields } = part;
    return Object.assign(trajectoryPart(trajectory, from, to), fields);
  }
  throw pointsNowhere(`trajectory ${place.trajectory} of episode ${place.episode}`);
}

function episodeAt(place: TrajectoryPlace | Trajectory | undefined, episodes: readonly Episode[]): Episode {
  const index = place !== undefined && 'episode' in place ? place.episode : -1;
  const episode = episodes[index];
  if (episode === undefined) throw pointsNowhere(`episode ${index}`);
  return episode;
}

function pointsNowhere(what: string): RllmError {
  return new RllmError(
    'CHECKPOINT_INVALID',
    `The checkpoint's rejection state points to ${what}, which is not there.`,
  );
}
