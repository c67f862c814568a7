import { nameOf } from '../attribute.js';
import { messageOf } from '../errors.js';
import type { OwnedTracker, RunStatus, Tracker, TrackerContext, TrackerRecord } from './tracker.js';

interface Entry {
  readonly tracker: Tracker;
  /** Begins sentences about it. */
  readonly who: string;
  failures: number;
}

/** What the fan-out reports instead of throwing. */
export type TrackerWarning = (message: string) => void;

/**
 * Hands each record to every tracker, in the order in which they are named. A tracker that throws is warned about once, is
 * called again with the next record, and never stops the run.
 */
export class TrackerFanOut {
  readonly #entries: readonly Entry[];
  readonly #warn: TrackerWarning;
  #finished = false;

  constructor(definitions: readonly OwnedTracker[], context: TrackerContext, warn: TrackerWarning) {
    this.#warn = warn;
    this.#entries = definitions.flatMap((definition) => {
      const who = nameOf({ what: `tracker "${definition.name}"`, owner: definition.owner });
      try {
        return [{ tracker: definition.create(context), who, failures: 0 }];
      } catch (thrown) {
        warn(`${who} could not start and gets nothing: ${messageOf(thrown)}`);
        return [];
      }
    });
  }

  async log(record: TrackerRecord): Promise<void> {
    await this.#each((tracker) => tracker.log(record));
  }

  /** Tells every tracker once how the run ended, and says how often a tracker failed. */
  async finish(status: RunStatus): Promise<void> {
    if (this.#finished) return;
    this.#finished = true;
    await this.#each((tracker) => tracker.finish(status));
    for (const { who, failures } of this.#entries) {
      if (failures > 1) this.#warn(`${who} failed ${failures} times in this run.`);
    }
  }

  async #each(call: (tracker: Tracker) => void | Promise<void>): Promise<void> {
    for (const entry of this.#entries) {
      try {
        await call(entry.tracker);
      } catch (thrown) {
        entry.failures++;
        if (entry.failures > 1) continue;
        this.#warn(`${entry.who} failed, the run goes on: ${messageOf(thrown)}`);
      }
    }
  }
}
