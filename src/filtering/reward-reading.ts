import { Ragged } from '../ragged.js';
import type { Trajectory } from '../types/index.js';

/**
 * Reads the rewards of groups, one group after the other, while their trajectories are at hand: to go through all of them once
 * more takes longer than what is done with their rewards.
 */
export class RewardReading {
  /** Of all groups; longer than `#end`. */
  #flat: Float64Array<ArrayBuffer>;
  /** Longer than `#groups` + 1. */
  #starts: Uint32Array<ArrayBuffer>;
  #end = 0;
  #groups = 0;
  #haveParts = false;

  /** @param groups, trajectories  about how many there will be. */
  constructor(groups: number, trajectories: number) {
    this.#starts = new Uint32Array(groups + 1);
    this.#flat = new Float64Array(trajectories);
  }

  /** Whether any trajectory has named parts of its reward. */
  get haveParts(): boolean {
    return this.#haveParts;
  }

  /** Reads the rewards of a group; NaN where one is missing. @returns whether each is finite, and so are its named parts */
  add(trajectories: readonly Trajectory[]): boolean {
    this.#reserve(trajectories.length);
    let areScored = true;
    for (let i = 0; i < trajectories.length; i++) {
      const trajectory = trajectories[i] as Trajectory;
      const reward = trajectory.reward ?? Number.NaN;
      this.#flat[this.#end++] = reward;
      if (!Number.isFinite(reward)) areScored = false;
      if (trajectory.rewards !== undefined) {
        this.#haveParts = true;
        if (unsoundComponent(trajectory) !== undefined) areScored = false;
      }
    }
    this.#starts[++this.#groups] = this.#end;
    return areScored;
  }

  /** Takes the latest group back. */
  takeBack(): void {
    this.#end = this.#starts[--this.#groups] as number;
  }

  /** The rewards of all groups. Nothing may be added afterwards. */
  finish(): Ragged {
    return new Ragged(this.#flat.subarray(0, this.#end), this.#starts.subarray(0, this.#groups + 1));
  }

  #reserve(more: number): void {
    if (this.#end + more > this.#flat.length) {
      const wide = new Float64Array(2 * (this.#end + more));
      wide.set(this.#flat);
      this.#flat = wide;
    }
    if (this.#groups + 1 >= this.#starts.length) {
      const wide = new Uint32Array(2 * (this.#groups + 2));
      wide.set(this.#starts);
      this.#starts = wide;
    }
  }
}

/** The first part of a reward that is not a finite number, if there is one. */
export function unsoundComponent({ rewards }: Trajectory): string | undefined {
  if (rewards === undefined) return undefined;
  for (const name in rewards) if (!Number.isFinite(rewards[name])) return name;
  return undefined;
}
