import type { TrainerEvent } from './events.js';

/** Events kept for a reader that does not read; then the oldest that only informs of progress goes. */
const CAPACITY = 1000;

/**
 * Hands the run's events to any number of readers, each from the moment it asks.
 *
 * A slow reader never holds the run up: of successive `rollouts` events it gets the newest, and beyond 1000 waiting events
 * the oldest `rollouts` or `trajectory` one is dropped. Steps, validations, checkpoints, warnings and the end are never dropped.
 */
export class EventStream {
  readonly #readers = new Set<EventReader>();
  #isClosed = false;

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  emit(event: TrainerEvent): void {
    for (const reader of this.#readers) reader.put(event);
  }

  /** No event comes any more; readers get what waits, then end. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  reader(): EventReader {
    const reader = new EventReader(() => this.#readers.delete(reader));
    if (this.#isClosed) reader.end();
    else this.#readers.add(reader);
    return reader;
  }
}

/** One reader's queue. */
export class EventReader {
  #waiting: TrainerEvent[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  readonly #leave: () => void;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  put(event: TrainerEvent): void {
    const last = this.#waiting.at(-1);
    if (event.event === 'rollouts' && last?.event === 'rollouts') this.#waiting.pop();
    this.#waiting.push(event);
    if (this.#waiting.length > CAPACITY) this.#dropOne();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Takes no more events; what waits is dropped. */
  leave(): void {
    this.#leave();
    this.#waiting = [];
    this.end();
  }

  /** The next event, or undefined after the last. */
  async next(): Promise<TrainerEvent | undefined> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#waiting.shift();
  }

  #dropOne(): void {
    const index = this.#waiting.findIndex(({ event }) => event === 'rollouts' || event === 'trajectory');
    if (index >= 0) this.#waiting.splice(index, 1);
  }
}
