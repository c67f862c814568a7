import type { Json } from '../types/index.js';

export interface TrackerRecord {
  readonly step: number;
  readonly epoch: number;
  readonly kind: 'train' | 'val';
  readonly metrics: Readonly<Record<string, number>>;
}

export type RunStatus = 'completed' | 'interrupted' | 'failed';

/**
 * Receives the run's metrics. A tracker that throws costs one warning, never the run. The run waits for each call, but no longer than
 * ten seconds; it calls again when the call before has ended.
 */
export interface Tracker {
  readonly name: string;
  log(record: TrackerRecord): void | Promise<void>;
  /** Called once with how the run truly ended. */
  finish(status: RunStatus): void | Promise<void>;
}

export interface TrackerContext {
  readonly runDirectory: string;
  readonly runId: string;
  /** The resolved configuration with secrets redacted. */
  readonly config: Json;
  /** The step the run goes on from; 0 for a new run. */
  readonly resumedFrom: number;
  /** Writes a line for a person. */
  readonly print: (line: string) => void;
}

export interface TrackerDefinition {
  readonly name: string;
  readonly summary: string;
  create(context: TrackerContext): Tracker;
}

/** A tracker as an app chooses it. */
export interface OwnedTracker extends TrackerDefinition {
  /** Who brought it, as in a registry, for messages. */
  readonly owner?: string;
}
