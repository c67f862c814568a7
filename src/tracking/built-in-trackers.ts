import { consoleTracker } from './console-tracker.js';
import type { TrackerDefinition } from './tracker.js';

/** Names for `tracking.trackers` that need no plugin. `metrics.jsonl` is written without being named. */
export const builtInTrackers: readonly TrackerDefinition[] = [consoleTracker];
