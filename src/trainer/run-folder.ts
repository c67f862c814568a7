import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { RllmConfig } from '../config/types.js';
import { messageOf, RllmError } from '../errors.js';
import { MetricsFile, type MetricsLine, type TrackerRecord } from '../tracking/index.js';
import type { Episode, Json } from '../types/index.js';
import {
  type Checkpoint,
  type CheckpointState,
  latestCheckpoint,
  pruneCheckpoints,
  readCheckpoint,
  removeCheckpointsAfter,
  writeCheckpoint,
} from './checkpoint.js';
import { removeTemporary, TEMPORARY, writeAllWhole } from './durable-files.js';
import { type EpisodeMode, removeEpisodesAfter, writeEpisodes } from './episode-files.js';
import { firstLineAfter } from './metrics-tail.js';
import { LOCK_FILE, lockRun } from './run-lock.js';
import {
  MANIFEST_FILE,
  type ManifestPlugin,
  newManifest,
  type RunManifest,
  readManifest,
} from './run-manifest.js';

export interface NewRun {
  readonly config: RllmConfig;
  /** What `config.json` shall hold: the resolved configuration and where its values came from, secrets redacted. */
  readonly configRecord: Json;
  /** The folder to use, new or empty; else `{trainer.runsDir}/{project}/{experiment}/{id}`. */
  readonly runDir?: string | undefined;
  /** What `trainer.runsDir` is relative to; the working directory by default. */
  readonly baseDirectory?: string | undefined;
  readonly plugins?: readonly ManifestPlugin[] | undefined;
  readonly command?: string | undefined;
}

/**
 * The folder of a run: `config.json`, `manifest.json`, `metrics.jsonl`, `episodes/`, `checkpoints/`.
 *
 * Creating or resuming one only looks; nothing is written, cut or removed before `open`, which the trainer calls when all
 * that could be refused has been checked.
 */
export class RunFolder {
  readonly directory: string;
  readonly id: string;
  /** The checkpoint to go on from; null for a new run, and for one that was killed before its first. */
  readonly checkpoint: Checkpoint | null;
  readonly #manifest: RunManifest;
  readonly #configRecord: Json | undefined;
  readonly #isNew: boolean;
  #metrics: MetricsFile | undefined;
  #unlock: (() => Promise<void>) | undefined;

  private constructor(
    directory: string,
    manifest: RunManifest,
    configRecord: Json | undefined,
    resumed: { readonly checkpoint: Checkpoint | null } | null,
  ) {
    this.directory = directory;
    this.id = manifest.runId;
    this.checkpoint = resumed?.checkpoint ?? null;
    this.#manifest = manifest;
    this.#configRecord = configRecord;
    this.#isNew = resumed === null;
  }

  /** @throws RllmError RUN_DIR_INVALID when `runDir` is not empty. */
  static async create(run: NewRun): Promise<RunFolder> {
    const { projectName, experimentName, runsDir, seed } = run.config.trainer;
    const started = new Date();
    const runId = newRunId(started);
    const base = resolve(run.baseDirectory ?? '.');
    const directory =
      run.runDir === undefined
        ? join(resolve(base, runsDir), folderName(projectName), folderName(experimentName), runId)
        : resolve(run.runDir);
    await assertEmpty(directory);
    const manifest = newManifest({
      runId,
      project: projectName,
      experiment: experimentName,
      plugins: run.plugins ?? [],
      seed,
      started: started.toISOString(),
      command: run.command ?? null,
    });
    return new RunFolder(directory, manifest, run.configRecord, null);
  }

  /**
   * A run to go on with, from its latest complete checkpoint, or from an earlier one: `{run}/checkpoints/step-000010`.
   *
   * @param configRecord  what `config.json` shall hold from now on; it stays as it is when absent.
   * @throws RllmError RUN_DIR_INVALID when the folder is not that of a run, CHECKPOINT_INVALID when the one named is incomplete.
   */
  static async resume(directory: string, configRecord?: Json): Promise<RunFolder> {
    const named = resolve(directory);
    if (/^step-\d+$/.test(basename(named)) && basename(dirname(named)) === 'checkpoints') {
      const run = dirname(dirname(named));
      const manifest = await readManifest(run);
      return new RunFolder(run, manifest, configRecord, { checkpoint: await readCheckpoint(named) });
    }
    const manifest = await readManifest(named);
    const checkpoint = await latestCheckpoint(join(named, 'checkpoints'));
    return new RunFolder(named, manifest, configRecord, { checkpoint });
  }

  /** True when the run goes on in a folder that it had before. */
  get isResumed(): boolean {
    return !this.#isNew;
  }

  /** What the run began with, `config.json` as it is on disk; undefined for a run that is not written yet. */
  async readConfigRecord(): Promise<Json | undefined> {
    if (this.#isNew) return this.#configRecord;
    const path = join(this.directory, CONFIG_FILE);
    try {
      return JSON.parse(await readFile(path, 'utf8')) as Json;
    } catch (cause) {
      throw new RllmError('RUN_DIR_INVALID', `${path} cannot be read: ${messageOf(cause)}`, { cause });
    }
  }

  /**
   * Makes the folder, or takes a resumed one back to its checkpoint: `metrics.jsonl` is cut to the checkpoint's length and
   * later episodes and checkpoints are removed, since they are redone with the same numbers.
   *
   * @param keep  checkpoints to keep, null for all; a crash may have left more.
   * @throws RllmError RUN_DIR_INVALID when another process writes the run.
   * @returns     the validation of the checkpoint's own weights, if it was finished and so need not be redone.
   */
  async open(keep: number | null): Promise<MetricsLine | null> {
    await mkdir(this.directory, { recursive: true });
    this.#unlock = await lockRun(this.directory);
    if (this.#isNew) await assertEmpty(this.directory);
    const { keepBytes, validation } = await this.#rewind();
    if (keep !== null) await pruneCheckpoints(this.#checkpoints, keep);
    await this.#describe();
    this.#metrics = await MetricsFile.open(this.#metricsPath, keepBytes);
    return validation;
  }

  async appendMetrics(record: TrackerRecord, now: number): Promise<void> {
    await this.#opened.append(record, now);
  }

  async writeEpisodes(
    at: { readonly mode: EpisodeMode; readonly step: number; readonly epoch: number },
    episodes: readonly Episode[],
  ): Promise<void> {
    await writeEpisodes(join(this.directory, 'episodes'), at, episodes);
  }

  /** Writes a checkpoint of the run as it stands, and removes old ones beyond `keep`; returns its folder. */
  async saveCheckpoint(
    state: Omit<CheckpointState, 'metricsBytes'>,
    saveBackend: (directory: string) => Promise<void>,
    keep: number | null,
  ): Promise<string> {
    await this.#opened.sync();
    const directory = await writeCheckpoint(
      this.#checkpoints,
      { ...state, metricsBytes: this.#opened.bytes },
      saveBackend,
    );
    if (keep !== null) await pruneCheckpoints(this.#checkpoints, keep);
    return directory;
  }

  async close(): Promise<void> {
    await this.#metrics?.close();
    this.#metrics = undefined;
    await this.#unlock?.();
    this.#unlock = undefined;
  }

  async #rewind(): Promise<{ readonly keepBytes: number; readonly validation: MetricsLine | null }> {
    await removeTemporary(this.directory);
    await removeTemporary(this.#checkpoints);
    const checkpoint = this.checkpoint?.state;
    const bytes = checkpoint?.metricsBytes ?? 0;
    const next = checkpoint === undefined ? null : await firstLineAfter(this.#metricsPath, bytes);
    const isOwn = next?.line.kind === 'val' && next.line.step === checkpoint?.step;
    const step = checkpoint?.step ?? -1;
    await removeCheckpointsAfter(this.#checkpoints, step);
    await removeEpisodesAfter(join(this.directory, 'episodes'), step, isOwn);
    return isOwn ? { keepBytes: next.end, validation: next.line } : { keepBytes: bytes, validation: null };
  }

  /** The manifest appears last: with it, the folder is a run's. */
  async #describe(): Promise<void> {
    const resumed = { time: new Date().toISOString(), step: this.checkpoint?.state.step ?? 0 };
    const manifest = this.#isNew
      ? this.#manifest
      : { ...this.#manifest, resumed: [...this.#manifest.resumed, resumed] };
    const records = [
      { name: CONFIG_FILE, value: this.#configRecord },
      { name: MANIFEST_FILE, value: manifest },
    ];
    await writeAllWhole(
      records
        .filter(({ value }) => value !== undefined)
        .map(({ name, value }) => ({
          path: join(this.directory, name),
          text: `${JSON.stringify(value, null, 2)}\n`,
        })),
    );
  }

  get #checkpoints(): string {
    return join(this.directory, 'checkpoints');
  }

  get #metricsPath(): string {
    return join(this.directory, 'metrics.jsonl');
  }

  get #opened(): MetricsFile {
    if (this.#metrics === undefined) throw new Error('The run folder is not open.');
    return this.#metrics;
  }
}

const CONFIG_FILE = 'config.json';

/** A folder where a run was killed before its manifest appeared counts as empty. */
async function assertEmpty(directory: string): Promise<void> {
  const names = await readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new RllmError('RUN_DIR_INVALID', `${directory} cannot be used: ${cause.message}`, { cause });
  });
  const taken = names.filter((name) => !name.startsWith(TEMPORARY) && name !== LOCK_FILE);
  const wasKilled = taken.length < names.length && taken.every((name) => name === CONFIG_FILE);
  if (taken.length === 0 || wasKilled) return;
  const what = taken.includes(MANIFEST_FILE) ? 'holds a run already' : `is not empty: it has ${taken[0]}`;
  throw new RllmError('RUN_DIR_INVALID', `The run folder ${directory} ${what}.`);
}

/** `20261130-094215-3fa9c2`: sorts by time. */
function newRunId(started: Date): string {
  const time = started.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${time}-${randomBytes(3).toString('hex')}`;
}

/** A project's or experiment's name as one folder that stays below its parent. */
function folderName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._ -]/gu, '_');
  return /^\.*$/.test(safe.trim()) ? '_' : safe;
}
