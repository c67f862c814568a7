import type { Logger } from '../logger.js';
import type { RunStatus, TrackerFanOut, TrackerRecord } from '../tracking/index.js';
import { sortedMetrics } from '../tracking/index.js';
import type { Metrics } from '../types/index.js';
import type { EventStream } from './event-stream.js';
import type { TrainerEvent, WarningDetails } from './events.js';
import type { RunFolder } from './run-folder.js';

/** Where a run tells what happens: its metrics file, its trackers, its readers of events. */
export class RunReport {
  readonly #stream: EventStream;
  readonly #run: RunFolder | null;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #warned = new Set<string>();
  #trackers: TrackerFanOut | undefined;

  constructor(parts: {
    readonly stream: EventStream;
    readonly run: RunFolder | null;
    readonly logger: Logger;
    readonly now: () => number;
  }) {
    this.#stream = parts.stream;
    this.#run = parts.run;
    this.#logger = parts.logger;
    this.#now = parts.now;
  }

  attach(trackers: TrackerFanOut): void {
    this.#trackers = trackers;
  }

  emit(event: TrainerEvent): void {
    this.#stream.emit(event);
  }

  /** To the readers of events; to the logger when there is none, so that a warning is seen once. */
  warn(code: string, message: string, details?: WarningDetails): void {
    if (!this.#stream.hasReaders) this.#logger.warn(message);
    this.emit({ event: 'warning', code, message, ...(details === undefined ? {} : { details }) });
  }

  /** A warning that is given once per run, by its code and what it is about. */
  warnOnce(code: string, about: string, message: string): void {
    const key = `${code} ${about}`;
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.warn(code, message);
  }

  /** Writes a record to the metrics file, then tells the trackers. Returns its metrics: sorted, and finite. */
  async record(record: TrackerRecord): Promise<Metrics> {
    const metrics = sortedMetrics(this.#finite(record.metrics));
    const clean = { ...record, metrics };
    await this.#run?.appendMetrics(clean, this.#now());
    await this.#trackers?.log(clean);
    return metrics;
  }

  async finish(status: RunStatus): Promise<void> {
    await this.#trackers?.finish(status);
  }

  /** JSON has no NaN or infinity: such a metric is left out of its record, with one warning. */
  #finite(metrics: Readonly<Record<string, number>>): Metrics {
    const entries = Object.entries(metrics).filter(([key, value]) => {
      if (Number.isFinite(value)) return true;
      this.warnOnce(
        'METRIC_NOT_FINITE',
        key,
        `The metric "${key}" is ${String(value)}; it is left out wherever it is not a finite number.`,
      );
      return false;
    });
    return Object.fromEntries(entries);
  }
}
