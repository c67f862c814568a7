import { nameOf } from '../attribute.js';
import { messageOf } from '../errors.js';
import type { OwnedTracker, RunStatus, Tracker, TrackerContext, TrackerRecord } from './tracker.js';

interface Entry {
  readonly tracker: Tracker;
  /** Begins sentences about it. */
  readonly who: string;
  failures: number;
  /** Ends when the tracker has taken all that it was told. */
  work: Promise<void>;
  /** It is not waited for: what it is told, it takes when it has taken all before. */
  isLate: boolean;
  wasLate: boolean;
}

export interface TrackerFanOutParts {
  /** Told what the fan-out does not throw. */
  readonly warn: (message: string) => void;
  /** Waits for what a tracker does; rejects when it is not waited for any longer. */
  readonly wait: (work: Promise<void>) => Promise<void>;
  /** Fires when the run shall end at once: what is late then is not waited for again. */
  readonly abort: AbortSignal;
}

/**
 * Hands each record to every tracker, in the order in which they are named, and waits for it. A tracker that throws is warned about
 * once, is called again with the next record, and never stops the run. Neither does one that takes too long: the run goes on, the
 * records that come meanwhile are kept for it, and it is waited for again when it has taken them, and at the end.
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
        const tracker = definition.create(context);
        return [{ tracker, who, failures: 0, work: Promise.resolve(), isLate: false, wasLate: false }];
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
      entry.work = entry.work
        .then(() => call(entry.tracker))
        .catch((thrown: unknown) => this.#failed(entry, thrown));
      const isLastChance = this.#finished && !this.#parts.abort.aborted;
      if (!entry.isLate || isLastChance) await this.#waitFor(entry);
    }
  }

  async #waitFor(entry: Entry): Promise<void> {
    try {
      await this.#parts.wait(entry.work);
    } catch (thrown) {
      entry.isLate = true;
      void entry.work.then(() => {
        entry.isLate = false;
      });
      const isAtEnd = this.#finished || this.#parts.abort.aborted;
      if (entry.wasLate && !isAtEnd) return;
      entry.wasLate = true;
      const then = isAtEnd ? 'may lack what it was told last' : 'is late, the run goes on without it';
      this.#parts.warn(`${entry.who} ${then}: ${messageOf(thrown)}`);
    }
  }

  #failed(entry: Entry, thrown: unknown): void {
    entry.failures++;
    if (entry.failures > 1) return;
    this.#parts.warn(`${entry.who} failed, the run goes on: ${messageOf(thrown)}`);
  }
}
