export { builtInTrackers } from './built-in-trackers.js';
export { consoleTracker } from './console-tracker.js';
export { MetricsFile, type MetricsLine, sortedMetrics } from './metrics-file.js';
export type {
  OwnedTracker,
  RunStatus,
  Tracker,
  TrackerContext,
  TrackerDefinition,
  TrackerRecord,
} from './tracker.js';
export { TrackerFanOut, type TrackerFanOutParts } from './tracker-fan-out.js';
