import { createHash } from 'node:crypto';
import type { Json } from '../types/index.js';

/** Config path → hash of its value, for every value that decides the run's numbers. */
export type ConfigFingerprint = Readonly<Record<string, string>>;

/**
 * What may change when a run is resumed, since no number that was trained depends on it. Files of data may move: their
 * content is compared. How long to train may change too while the learning rate does not depend on it, see `LENGTH_OF_RUN`.
 */
export const FREE_ON_RESUME: readonly string[] = [
  'data.train',
  'data.val',
  'data.valBatchSize',
  'tracking',
  'trainer.experimentName',
  'trainer.hooks',
  'trainer.keepCheckpoints',
  'trainer.projectName',
  'trainer.runsDir',
  'trainer.saveFreq',
  'trainer.showTrajectories',
  'trainer.stopWhen',
  'trainer.testFreq',
  'trainer.valBeforeTrain',
  'trainer.valOnly',
  'workflow.nParallelTasks',
  'workflow.retryBackoffMs',
];

/** Free to change with a constant learning rate without warm-up; with any other, it decides the rate of every step. */
export const LENGTH_OF_RUN: readonly string[] = ['trainer.totalEpochs', 'trainer.totalBatches'];

/**
 * The fingerprint of a configuration whose secrets are redacted, so that a new password is no change.
 *
 * Options of backends that are not chosen are left out, and where plugins lie: which they are, the manifest of the run knows.
 */
export function configFingerprint(config: Json): ConfigFingerprint {
  const leaves = flattened(config);
  const value = (path: string): Json | undefined => leaves.get(path);
  const hasFixedRate =
    value('algorithm.lrSchedule') === 'constant' && value('algorithm.warmupStepsRatio') === 0;
  const free = hasFixedRate ? [...FREE_ON_RESUME, ...LENGTH_OF_RUN] : FREE_ON_RESUME;
  const chosen = `backend.options.${String(value('backend.name'))}`;
  const entries = [...leaves].filter(([path]) => {
    if (path.startsWith('backend.options.') && !isWithin(path, chosen)) return false;
    if (/^plugins\.\d+\.use$/.test(path)) return false;
    return !free.some((prefix) => isWithin(path, prefix));
  });
  return Object.fromEntries(entries.map(([path, leaf]) => [path, hashOf(leaf)]).sort());
}

/** Paths on which two fingerprints differ, sorted. */
export function changedPaths(before: ConfigFingerprint, after: ConfigFingerprint): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).sort();
}

/** Leaf values by dotted path; an empty object or list is a leaf. */
function flattened(value: Json, path = '', into: Map<string, Json> = new Map()): Map<string, Json> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return into.set(path, value);
  for (const [key, child] of entries) flattened(child, path === '' ? key : `${path}.${key}`, into);
  return into;
}

export function isWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`);
}

function hashOf(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
