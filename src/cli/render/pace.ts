/** Marks that decide the speed: the time left follows the speed of late, not that of the start. */
const WINDOW = 20;

/** How fast steps are done, and so how long the rest will take. */
export class Pace {
  readonly #marks: { readonly step: number; readonly at: number }[] = [];

  /** @param at  any clock, in milliseconds. */
  mark(step: number, at: number): void {
    this.#marks.push({ step, at });
    if (this.#marks.length > WINDOW + 1) this.#marks.shift();
  }

  /** Seconds that `steps` more steps will take; undefined until two marks lie a step apart. */
  secondsFor(steps: number): number | undefined {
    // The first step compiles and warms up; it counts only as long as there is no other.
    const first = this.#marks[this.#marks.length > 2 ? 1 : 0];
    const last = this.#marks.at(-1);
    if (first === undefined || last === undefined || last.step <= first.step) return undefined;
    return ((last.at - first.at) / (last.step - first.step) / 1000) * steps;
  }
}
