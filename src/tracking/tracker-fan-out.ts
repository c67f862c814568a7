import { nameOf } from '../attribute.js';
import { messageOf } from '../errors.js';
import type { OwnedTracker, RunStatus, Tracker, TrackerContext, TrackerRecord } from './tracker.js';

interface Entry {
  readonly tracker: Tracker;
  /** Begins sentences about it. */
  readonly who: string;
  failures: number;
}

export interface TrackerFanOutParts {
  /** Told what the fan-out does not throw. */
  readonly warn: (message: string) => void;
  /** Waits for what a tracker does; rejects when it is not waited for any longer. */
  readonly wait: (work: void | Promise<void>) => Promise<void>;
}

/**
 * Hands each record to every tracker, in the order in which they are named. A tracker that throws is warned about once, is
 * called again with the next record, and never stops the run.
 */
export class TrackerFanOut {
  readonly #entries: readonly Entry[];
  readonly #parts: TrackerFanOutParts;
  #finished = false;

  constructor(definitions: readonly OwnedTracker[], context: TrackerContext, parts: TrackerFanOutParts) {
    this.#parts = parts;
    this.#entries = definitions.flatMap((definition) => {
      const who = nameOf({ what: `tracker "${definition.name}"`, owner: definition.owner });
      try {
        return [{ tracker: definition.create(context), who, failures: 0 }];
      } catch (thrown) {
        parts.warn(`${who} could not start and gets nothing: ${messageOf(thrown)}`);
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
      if (failures > 1) this.#parts.warn(`${who} failed ${failures} times in this run.`);
    }
  }

  async #each(call: (tracker: Tracker) => void | Promise<void>): Promise<void> {
    for (const entry of this.#entries) {
      try {
        await this.#parts.wait(call(entry.tracker));
      } catch (thrown) {
        entry.failures++;
        if (entry.failures > 1) continue;
        this.#parts.warn(`${entry.who} failed, the run goes on: ${messageOf(thrown)}`);
      }
    }
  }
}
