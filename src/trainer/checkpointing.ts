import { awaitBackend } from '../backend/index.js';
import { redact } from '../config/index.js';
import type { TaskLoader } from '../data/index.js';
import { RllmError } from '../errors.js';
import type { Checkpoint, CheckpointState } from './checkpoint.js';
import { changedPaths, configFingerprint, isWithin } from './config-fingerprint.js';
import { fromRejectionRecord, toRejectionRecord } from './rejection-record.js';
import type { RunContext } from './run-context.js';
import type { RunData } from './run-data.js';
import type { RunProgress } from './run-progress.js';

/**
 * Saves the run as it stands after a step, unless that was done already.
 *
 * @returns the checkpoint's folder; null when the run writes nothing or the backend has no checkpoints.
 */
export async function saveCheckpoint(
  context: RunContext,
  progress: RunProgress,
  data: RunData,
): Promise<string | null> {
  const { parts, report, lifecycle } = context;
  const { backend, config, run } = parts;
  const step = progress.state.globalStep;
  if (run === null || !backend.capabilities.checkpoints) return null;
  if (progress.saved?.step === step) return progress.saved.directory;
  const directory = await run.saveCheckpoint(
    snapshot(context, progress, data),
    (folder) => awaitBackend(backend, 'saveCheckpoint', () => backend.saveCheckpoint(folder)),
    config.trainer.keepCheckpoints,
  );
  progress.saved = { step, directory };
  await lifecycle.checkpoint(progress.state, directory);
  report.emit({ event: 'checkpoint', step, directory });
  return directory;
}

/**
 * Takes the run to where a checkpoint was written.
 *
 * @throws RllmError CHECKPOINT_INVALID when the config or the data decides other numbers now; nothing is changed then.
 */
export async function restoreCheckpoint(
  { parts }: RunContext,
  progress: RunProgress,
  data: RunData,
  checkpoint: Checkpoint,
): Promise<void> {
  const { state } = checkpoint;
  checkUnchanged(parts, data, checkpoint);
  await awaitBackend(parts.backend, 'loadCheckpoint', () =>
    parts.backend.loadCheckpoint(checkpoint.backendDirectory),
  );
  parts.estimators.loadStateDict(state.estimators);
  progress.state.globalStep = state.step;
  progress.state.epoch = state.epoch;
  progress.state.rejection = fromRejectionRecord(state.rejection);
  progress.cursor = state.cursor;
  progress.validatedVersion = state.validatedVersion;
  progress.lastStep = state.lastStep;
  progress.lastValidation = state.lastValidation;
  progress.saved = { step: state.step, directory: checkpoint.directory };
}

function snapshot(
  { parts }: RunContext,
  progress: RunProgress,
  data: RunData,
): Omit<CheckpointState, 'metricsBytes'> {
  const { globalStep, epoch, rejection } = progress.state;
  return {
    step: globalStep,
    epoch,
    cursor: progress.cursor,
    trainData: data.train?.hash ?? null,
    valData: data.val?.hash ?? null,
    rejection: toRejectionRecord(rejection),
    estimators: parts.estimators.stateDict(),
    validatedVersion: progress.validatedVersion,
    lastStep: progress.lastStep,
    lastValidation: progress.lastValidation,
    config: configFingerprint(redact(parts.config)),
  };
}

function checkUnchanged(
  { config, run }: RunContext['parts'],
  data: RunData,
  { directory, state }: Checkpoint,
): void {
  const changed = changedPaths(state.config, configFingerprint(redact(config))).filter(
    (path) => run?.hasOtherPlugins !== true || !isWithin(path, 'plugins'),
  );
  if (isOther(data.train, state.trainData)) changed.push('data.train (its rows)');
  if (isOther(data.val, state.valData)) changed.push('data.val (its rows)');
  if (changed.length === 0) return;
  throw new RllmError(
    'CHECKPOINT_INVALID',
    `The run cannot go on from ${directory}, since what decides its numbers was changed: ${changed.join(', ')}. Change it back, or start a new run.`,
    { details: { changed } },
  );
}

/** Data that was not there before, or is not there now, decides nothing that was trained. */
function isOther(loader: TaskLoader | null, hash: string | null): boolean {
  return loader !== null && hash !== null && loader.hash !== hash;
}
