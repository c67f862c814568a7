import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { DataCursor } from '../data/index.js';
import { messageOf, RllmError } from '../errors.js';
import { jsonText } from '../json-text.js';
import type { Json, Metrics } from '../types/index.js';
import type { ConfigFingerprint } from './config-fingerprint.js';
import { removeTemporary, removeWhole, syncPath, syncTree, TEMPORARY } from './durable-files.js';
import type { RejectionRecord } from './rejection-record.js';

/** What decides the future of a run besides the backend's weights, optimiser and random state. */
export interface CheckpointState {
  readonly step: number;
  readonly epoch: number;
  /** The batch that comes next. */
  readonly cursor: DataCursor;
  /** Hashes of the rows, null where there is no such data. */
  readonly trainData: string | null;
  readonly valData: string | null;
  readonly rejection: RejectionRecord;
  readonly estimators: Json;
  /** Weights that were validated last, so that they are not validated again. */
  readonly validatedVersion: number | null;
  readonly lastStep: Metrics;
  readonly lastValidation: Metrics;
  /** Length of `metrics.jsonl`; what lies beyond is redone. */
  readonly metricsBytes: number;
  readonly config: ConfigFingerprint;
}

/** A complete checkpoint on disk. */
export interface Checkpoint {
  readonly directory: string;
  /** Where the backend has written. */
  readonly backendDirectory: string;
  readonly state: CheckpointState;
}

interface CheckpointFile {
  readonly version: typeof VERSION;
  readonly state: CheckpointState;
  /** Every other file with its length in bytes: by it an incomplete copy is told from a whole one. */
  readonly files: Readonly<Record<string, number>>;
}

const VERSION = 1;
const STATE_FILE = 'trainer.json';
const BACKEND_FOLDER = 'backend';
const NAME = /^step-(\d+)$/;

/**
 * Writes a checkpoint: everything into a temporary folder, on the disk for sure, and only then under its name.
 *
 * @param folder       the run's `checkpoints` folder, made if need be.
 * @param saveBackend  writes the backend's part into an existing empty folder.
 * @returns            the checkpoint's folder, `step-000020`.
 */
export async function writeCheckpoint(
  folder: string,
  state: CheckpointState,
  saveBackend: (directory: string) => Promise<void>,
): Promise<string> {
  const name = `step-${String(state.step).padStart(6, '0')}`;
  const directory = join(folder, name);
  const temporary = join(folder, `${TEMPORARY}${name}`);
  await mkdir(folder, { recursive: true });
  await removeTemporary(folder);
  await mkdir(join(temporary, BACKEND_FOLDER), { recursive: true });
  await saveBackend(join(temporary, BACKEND_FOLDER));
  const file: CheckpointFile = { version: VERSION, state, files: await fileSizes(temporary) };
  await writeFile(join(temporary, STATE_FILE), jsonText(file));
  await syncTree(temporary);
  if ((await readdir(folder)).includes(name)) await removeWhole(directory);
  await rename(temporary, directory);
  await syncPath(folder);
  return directory;
}

/** The checkpoint that a run goes on from. */
export interface LatestCheckpoint {
  /** Null when there is none. */
  readonly checkpoint: Checkpoint | null;
  /** What is wrong with those of larger steps, one sentence each. */
  readonly passedOver: readonly string[];
}

/**
 * The complete checkpoint of the largest step. Those that are cut short are passed over; one that cannot be read for another reason
 * may be whole, and is an error.
 *
 * @throws RllmError CHECKPOINT_INVALID for a checkpoint of another format, or that cannot be read now, and when there are some and
 *   none is complete.
 */
export async function latestCheckpoint(folder: string): Promise<LatestCheckpoint> {
  const passedOver: string[] = [];
  for (const directory of (await checkpointFolders(folder)).reverse()) {
    const found = await examine(directory);
    if (typeof found !== 'string') return { checkpoint: found, passedOver };
    passedOver.push(found);
  }
  if (passedOver.length === 0) return { checkpoint: null, passedOver };
  throw invalid(
    `No checkpoint in ${folder} is complete. Restore one, or remove the folder to train from the start. ${passedOver.join(' ')}`,
  );
}

/** @throws RllmError CHECKPOINT_INVALID when the folder is no checkpoint, or not a whole one. */
export async function readCheckpoint(directory: string): Promise<Checkpoint> {
  const found = await examine(directory);
  if (typeof found === 'string') throw invalid(found);
  return found;
}

/**
 * A checkpoint, or what it lacks to be a complete one.
 *
 * @throws RllmError CHECKPOINT_INVALID when that cannot be told.
 */
async function examine(directory: string): Promise<Checkpoint | string> {
  const file = await readState(directory);
  if (typeof file === 'string') return file;
  const { version, state, files } = file;
  if (version !== VERSION) {
    throw invalid(
      `The checkpoint ${directory} has format ${version}, this version of the SDK reads format ${VERSION}: go on with the version that wrote it, or from an earlier checkpoint by its folder.`,
    );
  }
  const sizes = await fileSizes(directory);
  const damaged = Object.keys(files).filter((path) => sizes[path] !== files[path]);
  if (damaged.length > 0) {
    return `The checkpoint ${directory} is incomplete: ${damaged.join(', ')} ${damaged.length === 1 ? 'is' : 'are'} missing or cut short.`;
  }
  return { directory, backendDirectory: join(directory, BACKEND_FOLDER), state };
}

function invalid(message: string, cause?: unknown): RllmError {
  return new RllmError('CHECKPOINT_INVALID', message, cause === undefined ? {} : { cause });
}

/** Removes all but the `keep` checkpoints of the largest steps. */
export async function pruneCheckpoints(folder: string, keep: number): Promise<void> {
  const directories = await checkpointFolders(folder);
  for (const directory of directories.slice(0, Math.max(0, directories.length - keep))) {
    await removeWhole(directory);
  }
}

/** Removes checkpoints of steps beyond `step`: after a resume, these are redone. */
export async function removeCheckpointsAfter(folder: string, step: number): Promise<void> {
  for (const directory of await checkpointFolders(folder)) {
    if (stepOf(directory) > step) await removeWhole(directory);
  }
}

/** Folders that are named as checkpoints, by step. */
async function checkpointFolders(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => NAME.test(name))
    .map((name) => join(folder, name))
    .sort((a, b) => stepOf(a) - stepOf(b));
}

function stepOf(directory: string): number {
  return Number(/step-(\d+)$/.exec(directory)?.[1]);
}

/** The state file, or what is wrong with it. @throws RllmError CHECKPOINT_INVALID when it may be whole, and cannot be read */
async function readState(directory: string): Promise<CheckpointFile | string> {
  const fault = (why: string): string =>
    `${directory} is not a complete checkpoint: its ${STATE_FILE} cannot be read (${why}).`;
  let text: string;
  try {
    text = await readFile(join(directory, STATE_FILE), 'utf8');
  } catch (cause) {
    if (ABSENT.has((cause as NodeJS.ErrnoException).code)) return fault(messageOf(cause));
    throw invalid(fault(messageOf(cause)), cause);
  }
  try {
    const file = JSON.parse(text) as CheckpointFile | null;
    return file !== null && typeof file === 'object' ? file : fault('it holds no object');
  } catch (cause) {
    return fault(messageOf(cause));
  }
}

const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

/** Length in bytes of every file below a folder but the state file, by path with `/`. */
async function fileSizes(directory: string): Promise<Record<string, number>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes: Record<string, number> = {};
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(directory, path).split(sep).join('/');
    if (name !== STATE_FILE) sizes[name] = (await stat(path)).size;
  }
  return sizes;
}
