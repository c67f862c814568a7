export type { RunStatus, Tracker, TrackerContext, TrackerDefinition, TrackerRecord } from './tracker.js';
