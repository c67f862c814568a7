import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { RllmConfig } from '../config/types.js';
import { messageOf, RllmError } from '../errors.js';
import { MetricsFile, type MetricsLine, type TrackerRecord } from '../tracking/index.js';
import type { Episode, Json } from '../types/index.js';
import {
  type Checkpoint,
  type CheckpointState,
  pruneCheckpoints,
  removeCheckpointsAfter,
  writeCheckpoint,
} from './checkpoint.js';
import { ClaimedFolder } from './claimed-folder.js';
import { removeTemporary, writeAllWhole, writeWhole } from './durable-files.js';
import { assertEmptyRunFolder, CONFIG_FILE } from './empty-run-folder.js';
import { type EpisodeMode, removeEpisodesAfter, writeEpisodes } from './episode-files.js';
import { findRun, type Resumed, type ResumeOptions, runOf } from './find-run.js';
import { firstLineAfter } from './metrics-tail.js';
import {
  MANIFEST_FILE,
  type ManifestPlugin,
  newManifest,
  type RunEnd,
  type RunManifest,
  readManifest,
  resumedManifest,
} from './run-manifest.js';
import { newRunId, runFolderName } from './run-name.js';

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
 * Creating or resuming one only looks. `claim` makes a new one and keeps others out; nothing is written, cut or removed before
 * `open`, which the trainer calls when all that could be refused has been checked. Closed before it was opened, it is as if
 * nothing had been.
 */
export class RunFolder {
  readonly directory: string;
  readonly id: string;
  /** The checkpoint to go on from; null for a new run, and for one that was killed before its first. */
  readonly checkpoint: Checkpoint | null;
  readonly #configRecord: Json | undefined;
  readonly #resumed: Resumed | null;
  #manifest: RunManifest;
  #claim: ClaimedFolder | undefined;
  #metrics: MetricsFile | undefined;

  private constructor(
    directory: string,
    manifest: RunManifest,
    configRecord: Json | undefined,
    resumed: Resumed | null,
  ) {
    this.directory = directory;
    this.id = manifest.runId;
    this.checkpoint = resumed?.checkpoint ?? null;
    this.#manifest = manifest;
    this.#configRecord = configRecord;
    this.#resumed = resumed;
  }

  /** @throws RllmError RUN_DIR_INVALID when `runDir` is not empty. */
  static async create(run: NewRun): Promise<RunFolder> {
    const { projectName, experimentName, runsDir, seed } = run.config.trainer;
    const started = new Date();
    const runId = newRunId(started);
    const base = resolve(run.baseDirectory ?? '.');
    const directory =
      run.runDir === undefined
        ? join(resolve(base, runsDir), runFolderName(projectName), runFolderName(experimentName), runId)
        : resolve(run.runDir);
    await assertEmptyRunFolder(directory);
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
   * @throws RllmError RUN_DIR_INVALID when the folder is not that of a run, CHECKPOINT_INVALID when the one named is incomplete, or the
   *   latest cannot be told (see `latestCheckpoint`), PLUGIN_CHANGED when it was made with other plugins.
   */
  static async resume(directory: string, options: ResumeOptions = {}): Promise<RunFolder> {
    const { run, manifest, resumed } = await findRun(directory, options);
    return new RunFolder(run, manifest, options.configRecord, resumed);
  }

  /**
   * The plugins that a run was made with, by its folder or that of a checkpoint.
   *
   * @throws RllmError RUN_DIR_INVALID when the folder is not that of a run.
   */
  static async pluginsOf(directory: string): Promise<readonly ManifestPlugin[]> {
    return (await readManifest(runOf(directory))).plugins;
  }

  /** True when the run goes on in a folder that it had before. */
  get isResumed(): boolean {
    return this.#resumed !== null;
  }

  /** Checkpoints later than the one to go on from, which are incomplete: what is wrong with each. They are removed by `open`. */
  get passedOver(): readonly string[] {
    return this.#resumed?.passedOver ?? [];
  }

  /** True when the run goes on with other plugins than it was made with, since that was allowed. */
  get hasOtherPlugins(): boolean {
    return (this.#resumed?.pluginChanges.length ?? 0) > 0;
  }

  /** What the run began with, `config.json` as it is on disk; undefined for a run that is not written yet. */
  async readConfigRecord(): Promise<Json | undefined> {
    if (!this.isResumed) return this.#configRecord;
    const path = join(this.directory, CONFIG_FILE);
    try {
      return JSON.parse(await readFile(path, 'utf8')) as Json;
    } catch (cause) {
      throw new RllmError('RUN_DIR_INVALID', `${path} cannot be read: ${messageOf(cause)}`, { cause });
    }
  }

  /**
   * Makes the folder if it is new, and keeps other processes out.
   *
   * @throws RllmError RUN_DIR_INVALID when another process writes the run, or the folder has been filled, or the run gone on with,
   *   since `create` or `resume` looked.
   */
  async claim(): Promise<void> {
    this.#claim = await ClaimedFolder.claim(this.directory, () =>
      this.isResumed ? this.#assertUntouched() : assertEmptyRunFolder(this.directory),
    );
  }

  /** Whoever goes on with a run writes its manifest first. */
  async #assertUntouched(): Promise<void> {
    if (isDeepStrictEqual(await readManifest(this.directory), this.#manifest)) return;
    throw new RllmError(
      'RUN_DIR_INVALID',
      `The run in ${this.directory} was gone on with elsewhere while this process was starting; nothing of it was touched. Resume it again.`,
    );
  }

  /**
   * Begins a new run, or takes a resumed one back to its checkpoint: `metrics.jsonl` is cut to the checkpoint's length and
   * later episodes and checkpoints are removed, since they are redone with the same numbers.
   *
   * @param keep  checkpoints to keep, null for all; a crash may have left more.
   * @throws RllmError what `claim` throws, unless it was called before.
   * @returns     the validation of the checkpoint's own weights, if it was finished and so need not be redone.
   */
  async open(keep: number | null): Promise<MetricsLine | null> {
    if (this.#claim === undefined) await this.claim();
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

  /** Has the manifest say how the run ended; of a run that was never opened there is none. */
  async recordEnd(end: Omit<RunEnd, 'time'>): Promise<void> {
    if (this.#metrics === undefined) return;
    this.#manifest = { ...this.#manifest, ended: { time: new Date().toISOString(), ...end } };
    await writeWhole(join(this.directory, MANIFEST_FILE), textOf(this.#manifest));
  }

  /** Lets others take the folder. A new one that was claimed and never opened is removed. */
  async close(): Promise<void> {
    const [claim, metrics] = [this.#claim, this.#metrics];
    this.#claim = undefined;
    this.#metrics = undefined;
    await metrics?.close();
    await (metrics === undefined ? claim?.undo() : claim?.release());
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
    if (this.#resumed !== null) {
      const { checkpoint, plugins, pluginChanges: changes } = this.#resumed;
      const step = checkpoint?.state.step ?? 0;
      this.#manifest = resumedManifest(this.#manifest, { step, pluginChanges: changes }, plugins);
    }
    const records = [
      { name: CONFIG_FILE, value: this.#configRecord },
      { name: MANIFEST_FILE, value: this.#manifest },
    ];
    await writeAllWhole(
      records
        .filter(({ value }) => value !== undefined)
        .map(({ name, value }) => ({ path: join(this.directory, name), text: textOf(value) })),
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

function textOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
