import { type FileHandle, open } from 'node:fs/promises';
import type { TrackerRecord } from './tracker.js';

/** One line of `metrics.jsonl`. */
export interface MetricsLine extends TrackerRecord {
  /** When it was written, ISO 8601; the only field, with metrics under `time/`, that differs between equal runs. */
  readonly time: string;
}

/**
 * The run's `metrics.jsonl`: a line per training step and per validation, in the file as soon as `append` returns.
 *
 * Lines are whole or, after a crash, torn at the very end; metrics are sorted by name, so equal runs give equal files.
 */
export class MetricsFile {
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Opens the file, making it if need be; what lies beyond `keepBytes` is cut off. */
  static async open(path: string, keepBytes: number): Promise<MetricsFile> {
    const file = await open(path, 'a+');
    const bytes = Math.min(keepBytes, (await file.stat()).size);
    await file.truncate(bytes);
    return new MetricsFile(file, bytes);
  }

  /** Length so far: what a checkpoint remembers. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param now  milliseconds since 1970. */
  async append(record: TrackerRecord, now: number): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(metricsLine(record, now))}\n`);
    await this.#file.appendFile(line);
    this.#bytes += line.length;
  }

  /** Waits until the disk has every line. */
  async sync(): Promise<void> {
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function metricsLine({ step, epoch, kind, metrics }: TrackerRecord, now: number): MetricsLine {
  return { step, epoch, kind, time: new Date(now).toISOString(), metrics: sortedMetrics(metrics) };
}

/** The same metrics, sorted by name, by UTF-16 code units whatever the locale. */
export function sortedMetrics(metrics: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(metrics).sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
}
