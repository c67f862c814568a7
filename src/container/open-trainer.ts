import type { DependencyContainer } from 'tsyringe';
import { awaitBackend, type Backend } from '../backend/index.js';
import type { LoadedConfig } from '../config/index.js';
import { type ChosenDataset, type Dataset, openDataset } from '../data/index.js';
import { messageOf, RllmError } from '../errors.js';
import type { LoadedPlugin } from '../plugin-host/index.js';
import type { UnifiedTrainer } from '../trainer/index.js';
import type { AppOptions } from './app.js';
import type { DatasetChoice } from './choose-datasets.js';
import { openRun } from './open-run.js';
import { resolveToken } from './resolve-token.js';
import type { Teardown } from './teardown.js';
import {
  BACKEND,
  CONFIG,
  RUN_FOLDER,
  type Token,
  TRAIN_DATA,
  TRAINER,
  VAL_DATA,
  WORKFLOW,
} from './tokens.js';

export interface OpenTrainerParts {
  readonly container: DependencyContainer;
  readonly loaded: LoadedConfig;
  readonly options: AppOptions;
  readonly plugins: readonly LoadedPlugin[];
  readonly teardown: Teardown;
  readonly datasets: DatasetChoice;
  /** Fires when the app is disposed. */
  readonly signal: AbortSignal;
}

/**
 * Opens what a trainer stands on, cheapest first, so that a wrong path costs no start of a backend: workflow, data, the run's
 * folder (nothing is written yet), the backend.
 */
export async function openTrainer(parts: OpenTrainerParts): Promise<UnifiedTrainer> {
  const { container, options, teardown, datasets } = parts;
  resolveToken(container, WORKFLOW);
  if (!container.isRegistered(TRAIN_DATA)) {
    const data = options.trainData ?? (await dataOf(datasets.train, parts));
    bindOpened(container, TRAIN_DATA, data);
  }
  if (!container.isRegistered(VAL_DATA)) {
    const data = options.valData ?? (await dataOf(datasets.val, parts));
    bindOpened(container, VAL_DATA, data);
  }
  if (!container.isRegistered(RUN_FOLDER)) {
    const run = options.run === null ? null : await openRun(options.run ?? {}, parts);
    bindOpened(container, RUN_FOLDER, run);
  }
  const backend = resolveToken(container, BACKEND);
  assertOpen(teardown);
  teardown.defer(`backend "${backend.name}"`, () =>
    awaitBackend(backend, 'shutdown', () => backend.shutdown()),
  );
  await start(backend);
  assertOpen(teardown);
  const trainer = resolveToken(container, TRAINER);
  teardown.defer('trainer', () => trainer.shutdown());
  return trainer;
}

/** By a factory, since tsyringe takes null and undefined for no value. */
function bindOpened<T>(container: DependencyContainer, token: Token<T>, value: T): void {
  container.register<T>(token, { useFactory: () => value });
}

async function start(backend: Backend): Promise<void> {
  try {
    await awaitBackend(backend, 'start', () => backend.start());
  } catch (cause) {
    if (RllmError.isInstance(cause)) throw cause;
    const message = `The backend "${backend.name}" could not be started: ${messageOf(cause)}`;
    throw new RllmError('BACKEND_FAILED', message, { cause });
  }
}

async function dataOf(
  chosen: ChosenDataset | undefined,
  { container, loaded, signal }: OpenTrainerParts,
): Promise<Dataset | undefined> {
  if (chosen === undefined) return undefined;
  const { idField } = resolveToken(container, CONFIG).data;
  return openDataset(chosen, { baseDirectory: loaded.directory, idField, signal });
}

function assertOpen(teardown: Teardown): void {
  if (teardown.isDisposed)
    throw new RllmError('ABORTED', 'The app was disposed while its trainer was opened.');
}
