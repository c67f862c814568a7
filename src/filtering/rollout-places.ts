import { type Episode, type Trajectory, wholeOf } from '../types/index.js';
import type { Dropped, Rollout } from './drop-reason.js';

/** What finding a rollout by going on from the last one may cost, in rollouts passed over: this much for each that was found so. */
const STRIDE = 4;

/**
 * Where rollouts stand in a list of episodes.
 *
 * Groups come in the order of the list, mostly, and hold the episodes themselves. So a rollout is looked for from where the one
 * before it was, and no `Map` of them all is made, which would take most of the time; it is made once that goes astray: time grows with the
 * rollouts, in any order.
 */
export class RolloutPlaces {
  readonly #episodes: readonly Episode[];
  /** Where the latest group begins: that of another role begins there as well. */
  #start = 0;
  /** How many rollouts may still be passed over. */
  #patience: number;
  #byTask: ReadonlyMap<string, ReadonlyMap<number, readonly number[]>> | undefined;

  constructor(episodes: readonly Episode[]) {
    this.#episodes = episodes;
    this.#patience = 2 * episodes.length;
  }

  /** Visits the place of each of the rollouts; those that are not in the list are passed over. */
  visit(
    { rollouts, trajectories }: Pick<Dropped, 'rollouts' | 'trajectories'>,
    visit: (place: number) => void,
  ): void {
    let at = this.#start;
    for (let i = 0; i < rollouts.length; i++) {
      const rollout = rollouts[i] as Rollout;
      const place = this.#goOnTo(rollout, at) ?? this.#lookUp(rollout, trajectories[i]);
      if (place === undefined) continue;
      if (i === 0) this.#start = place;
      at = place;
      visit(place);
    }
  }

  /** The place of the very object, from a place on, and round to it. */
  #goOnTo(rollout: Rollout, from: number): number | undefined {
    const episodes = this.#episodes;
    for (let at = from; this.#patience > 0; this.#patience--) {
      if (episodes[at] === rollout) {
        this.#patience += STRIDE;
        return at;
      }
      at = at + 1 < episodes.length ? at + 1 : 0;
    }
    return undefined;
  }

  /** By task and index; where a task has come back under its id, that of the very object, or else that with the trajectory. */
  #lookUp(rollout: Rollout, trajectory: Trajectory | undefined): number | undefined {
    const episodes = this.#episodes;
    this.#byTask ??= placesByTask(episodes);
    const places = this.#byTask.get(rollout.taskId)?.get(rollout.rolloutIndex) ?? [];
    if (places.length <= 1) return places[0];
    const whole = trajectory && wholeOf(trajectory);
    const isIt = (place: number): boolean =>
      episodes[place] === rollout ||
      (whole !== undefined && episodes[place]?.trajectories.includes(whole)) === true;
    return places.find(isIt) ?? places.at(-1);
  }
}

function placesByTask(episodes: readonly Episode[]): ReadonlyMap<string, ReadonlyMap<number, number[]>> {
  const byTask = new Map<string, Map<number, number[]>>();
  episodes.forEach(({ taskId, rolloutIndex }, place) => {
    const own = byTask.get(taskId) ?? new Map<number, number[]>();
    const places = own.get(rolloutIndex);
    if (places === undefined) own.set(rolloutIndex, [place]);
    else places.push(place);
    byTask.set(taskId, own);
  });
  return byTask;
}
