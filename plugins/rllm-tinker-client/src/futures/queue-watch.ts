import type { Clock } from '../clock.js';
import type { TinkerLogger } from '../logger.js';
import type { QueueStateEvent } from '../types/queue-state.js';

const LOG_EVERY_MS = 60_000;

/** Passes on why results are late, and logs it at most once a minute. */
export class QueueWatch {
  readonly #clock: Clock;
  readonly #logger: TinkerLogger;
  readonly #listener: ((event: QueueStateEvent) => void) | undefined;
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, logger: TinkerLogger, listener?: (event: QueueStateEvent) => void) {
    this.#clock = clock;
    this.#logger = logger;
    this.#listener = listener;
  }

  tell(event: QueueStateEvent): void {
    this.#listener?.(event);
    if (event.state === 'active' || this.#clock.now() < this.#quietUntil) return;
    this.#quietUntil = this.#clock.now() + LOG_EVERY_MS;
    this.#logger.warn(
      `the engine holds work back: ${event.state}${event.reason === undefined ? '' : `, ${event.reason}`}`,
    );
  }
}
