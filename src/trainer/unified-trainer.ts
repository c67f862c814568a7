import { awaitBackend } from '../backend/index.js';
import { messageOf, RllmError } from '../errors.js';
import type { RunStatus } from '../tracking/index.js';
import { sortedMetrics } from '../tracking/index.js';
import type { Metrics } from '../types/index.js';
import { SYSTEM_CLOCK } from '../workflow/index.js';
import { readCheckpoint } from './checkpoint.js';
import { type DryRunReport, dryRun } from './dry-run.js';
import { EventStream } from './event-stream.js';
import type { RunSummary, TrainerEvent } from './events.js';
import { HookCalls } from './hook-calls.js';
import { Lifecycle } from './lifecycle.js';
import type { RunContext } from './run-context.js';
import { throwIfAborted } from './run-context.js';
import { loadRunData, type RunData, required } from './run-data.js';
import { checkPlan, plannedSteps } from './run-plan.js';
import { newProgress, type RunProgress } from './run-progress.js';
import { RunReport } from './run-report.js';
import { RunSteering } from './run-steering.js';
import type { TrainerParts } from './trainer-parts.js';
import { TrainingRun } from './training-run.js';
import { validate } from './validation.js';

export interface RunOptions {
  /** Ends the run after the step at hand, with a checkpoint and status `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

export interface ValidateOptions extends RunOptions {
  /** Called as rollouts end, with how many have and how many there are. */
  readonly onRollout?: (done: number, total: number) => void;
}

/**
 * Trains a policy: rolls out tasks, assigns credit, updates the weights, validates, saves, reports.
 *
 * A trainer makes one run. Its parts are joined by `createApp`, which starts the backend too. Dispose of it, by `await using`
 * or `shutdown()`, to release the backend.
 */
export class UnifiedTrainer implements AsyncDisposable {
  readonly #parts: TrainerParts;
  readonly #context: RunContext;
  readonly #stream = new EventStream();
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  /** Fires when the run has ended, and heeds no signal any more. */
  readonly #ended = new AbortController();
  #data: Promise<RunData> | undefined;
  #run: Promise<RunSummary> | undefined;

  constructor(parts: TrainerParts) {
    const now = parts.now ?? (() => performance.timeOrigin + performance.now());
    const abort = this.#abort.signal;
    const report = new RunReport({ stream: this.#stream, run: parts.run, logger: parts.logger, now });
    const steering = new RunSteering();
    const calls = new HookCalls({
      policy: parts.config.trainer.hooks,
      steering,
      clock: parts.clock ?? SYSTEM_CLOCK,
      now,
      abort,
      warn: (code, message, details) => report.warn(code, message, details),
    });
    const lifecycle = new Lifecycle(parts.backend, parts.hooks, calls);
    this.#parts = parts;
    this.#context = { parts, now, stop: this.#stop.signal, abort, lifecycle, steering, report };
  }

  /**
   * Reads and checks the data; nothing else is touched. The container calls it before it starts the backend, so that a wrong
   * dataset costs no start.
   *
   * @throws RllmError DATASET_EMPTY, DATASET_TOO_SMALL, DATASET_INVALID for whichever data is given and wrong.
   */
  async readData(): Promise<void> {
    await this.#loadData();
  }

  /**
   * Runs to the end and says how it went. A later call returns the same run; its signal counts too.
   *
   * @returns the summary of a run that was completed, or interrupted by the signal.
   * @throws RllmError what stopped the run: trackers have been told `failed`, readers of events the error. ABORTED after `shutdown()`.
   */
  fit(options: RunOptions = {}): Promise<RunSummary> {
    this.#heed(options.signal, this.#ended.signal);
    this.#run ??= this.#fit();
    return this.#run;
  }

  /**
   * The events of the run; the last is `end`. Both the run, unless it runs already, and what is told of it start when the first
   * event is asked for, not before: events that nobody reads would gather without end.
   *
   * Whoever has started the run gets its error: when that was this call, the iteration throws it after `end`, and leaving the
   * loop early stops the run after the step at hand.
   */
  async *events(options: RunOptions = {}): AsyncGenerator<TrainerEvent, void, undefined> {
    const reader = this.#stream.reader();
    const isOwner = this.#run === undefined;
    const run = this.fit(options);
    // The error is thrown below, or to whoever called fit.
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    let isAtEnd = false;
    try {
      for (let event = await reader.next(); event !== undefined; event = await reader.next()) yield event;
      isAtEnd = true;
      if (isOwner) await run;
    } finally {
      reader.leave();
      if (isOwner && !isAtEnd) {
        this.#stop.abort();
        await settled;
      }
    }
  }

  /**
   * Validates the weights as they are, or those of `parts.weights`, or of the run's checkpoint; trains and writes nothing.
   *
   * @throws RllmError DATASET_EMPTY without validation data; ABORTED when the signal fires.
   */
  async validate(options: ValidateOptions = {}): Promise<Metrics> {
    const ended = new AbortController();
    this.#heed(options.signal, ended.signal);
    try {
      return await this.#validate(options.onRollout);
    } finally {
      ended.abort();
    }
  }

  /** Takes one rollout through every stage but the update; writes nothing. */
  async dryRun(): Promise<DryRunReport> {
    const data = await this.#loadData();
    const { trainer } = this.#parts.config;
    const context = { ...this.#context, parts: { ...this.#parts, run: null } };
    const loader = required(data.train, 'train');
    return dryRun(context, data, plannedSteps({ ...trainer, valOnly: false }, loader.batchesPerEpoch));
  }

  /**
   * Stops a run at once, without a checkpoint, releases the backend, and waits for the run's end. Safe to call twice.
   *
   * @throws the first error of the engine's and the backend's `shutdown`, once the run has ended.
   */
  async shutdown(): Promise<void> {
    this.#abort.abort();
    const { engine, backend } = this.#parts;
    const failures: unknown[] = [];
    const shutdowns = [
      () => engine.shutdown(),
      () => awaitBackend(backend, 'shutdown', () => backend.shutdown()),
    ];
    for (const shutdown of shutdowns) {
      try {
        await shutdown();
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    await this.#run?.catch(() => undefined);
    if (failures.length > 0) throw failures[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  /** Once: an iterable can be read only once. */
  #loadData(): Promise<RunData> {
    this.#data ??= loadRunData(this.#parts);
    return this.#data;
  }

  async #validate(onRollout: ValidateOptions['onRollout']): Promise<Metrics> {
    const data = await this.#loadData();
    const loader = required(data.val, 'val');
    const { run, weights, backend } = this.#parts;
    const checkpoint = weights === undefined ? run?.checkpoint : await readCheckpoint(weights);
    if (checkpoint)
      await awaitBackend(backend, 'loadCheckpoint', () =>
        backend.loadCheckpoint(checkpoint.backendDirectory),
      );
    const { state } = newProgress();
    state.globalStep = checkpoint?.state.step ?? 0;
    state.epoch = checkpoint?.state.epoch ?? 0;
    const context = { ...this.#context, parts: { ...this.#parts, run: null } };
    const metrics = await validate(context, state, loader, onRollout);
    throwIfAborted(context);
    if (this.#stop.signal.aborted) throw new RllmError('ABORTED', 'The validation was interrupted.');
    return sortedMetrics(metrics ?? {});
  }

  /** @param ended  fires when the signal shall not be listened to any more: it may outlive many trainers. */
  #heed(signal: AbortSignal | undefined, ended: AbortSignal): void {
    if (signal?.aborted) this.#stop.abort(signal.reason);
    signal?.addEventListener('abort', () => this.#stop.abort(signal.reason), { once: true, signal: ended });
  }

  async #fit(): Promise<RunSummary> {
    const started = this.#context.now();
    const progress = newProgress();
    try {
      const status = await this.#train(progress);
      return await this.#end(status, progress, started, null);
    } catch (thrown) {
      const status = this.#abort.signal.aborted ? 'interrupted' : 'failed';
      const code = RllmError.isInstance(thrown) ? thrown.code : 'UNEXPECTED';
      await this.#end(status, progress, started, { code, message: messageOf(thrown) });
      await this.#parts.run?.close().catch((cause: unknown) => {
        this.#parts.logger.warn(`The run's folder could not be closed: ${messageOf(cause)}`);
      });
      throw thrown;
    } finally {
      this.#ended.abort();
      this.#stream.close();
      await this.#parts.run?.close();
    }
  }

  async #train(progress: RunProgress): Promise<RunStatus> {
    throwIfAborted(this.#context);
    const data = await this.#loadData();
    checkPlan(this.#parts, data);
    const run = new TrainingRun(this.#context, data, progress);
    await run.open();
    return run.train();
  }

  async #end(
    status: RunStatus,
    progress: RunProgress,
    started: number,
    error: RunSummary['error'],
  ): Promise<RunSummary> {
    const { run } = this.#parts;
    const { report, steering, now } = this.#context;
    const summary: RunSummary = {
      status,
      runId: run?.id ?? '',
      runDirectory: run?.directory ?? '',
      steps: progress.state.globalStep,
      seconds: (now() - started) / 1000,
      lastStep: progress.lastStep,
      lastValidation: progress.lastValidation,
      checkpoint: progress.saved?.directory ?? null,
      stopped: status === 'completed' ? steering.stop : null,
      error,
    };
    const { steps: step, stopped } = summary;
    await run?.recordEnd({ status, step, stopped, error }).catch((cause: unknown) => {
      report.warn('RECORD_FAILED', `How the run ended could not be written: ${messageOf(cause)}`);
    });
    await report.finish(status);
    report.emit({ event: 'end', status, summary });
    return summary;
  }
}
