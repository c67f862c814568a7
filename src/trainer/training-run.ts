import { redact } from '../config/index.js';
import type { TaskBatch } from '../data/index.js';
import { messageOf } from '../errors.js';
import { type RunStatus, TrackerFanOut } from '../tracking/index.js';
import { SYSTEM_CLOCK } from '../workflow/index.js';
import { restoreCheckpoint, saveCheckpoint } from './checkpointing.js';
import { PATIENCE_MS, withinGrace } from './grace.js';
import { type RunContext, throwIfAborted } from './run-context.js';
import { type RunData, required } from './run-data.js';
import { isSaveDue, isValidationDue, plannedSteps } from './run-plan.js';
import type { RunProgress } from './run-progress.js';
import type { RunStop, SteeredRun } from './run-steering.js';
import type { StepWork } from './stages.js';
import { StopCondition } from './stop-condition.js';
import { trainStep } from './train-step.js';
import { sampleTrajectories, trajectoryView } from './trajectory-view.js';
import { validate } from './validation.js';

/**
 * The loop of a run: epochs, steps, validations, checkpoints, in an order that a crash cannot spoil.
 *
 * After each step: its line in `metrics.jsonl`, then the checkpoint if one is due, then the validation if one is due. So a
 * failing validation costs no training, and what lies beyond the checkpoint is redone with the same numbers.
 */
export class TrainingRun implements SteeredRun {
  readonly #context: RunContext;
  readonly #data: RunData;
  readonly #progress: RunProgress;
  readonly #stopWhen: StopCondition;
  /** Set once the metric of `trainer.stopWhen` reached its value. */
  #isReached = false;
  #isOver = false;

  constructor(context: RunContext, data: RunData, progress: RunProgress) {
    this.#context = context;
    this.#data = data;
    this.#progress = progress;
    this.#stopWhen = new StopCondition(context.parts.config.trainer.stopWhen);
  }

  /**
   * Loads the checkpoint of a resumed run, calls the hooks at the start of training, and only then opens the run's folder and
   * its trackers: a hook that refuses leaves no folder, or an untouched one.
   */
  async open(): Promise<void> {
    const { parts, lifecycle, steering } = this.#context;
    const { run, config } = parts;
    const { state } = this.#progress;
    state.totalSteps = plannedSteps(config.trainer, this.#data.train?.batchesPerEpoch ?? 0);
    if (run?.checkpoint) await restoreCheckpoint(this.#context, this.#progress, this.#data, run.checkpoint);
    await run?.claim();
    steering.attach(this);
    await lifecycle.trainStart(state);
    throwIfAborted(this.#context);
    const validation = (await run?.open(config.trainer.keepCheckpoints)) ?? null;
    if (validation !== null) {
      this.#progress.validatedVersion = parts.backend.weightVersion;
      this.#progress.lastValidation = validation.metrics;
    }
    this.#announce();
    steering.phase = 'betweenSteps';
  }

  /** Opens the trackers, and tells that the run begins. */
  #announce(): void {
    const { parts, report, abort } = this.#context;
    const { run, config } = parts;
    const { state } = this.#progress;
    const origin = {
      runDirectory: run?.directory ?? '',
      runId: run?.id ?? '',
      resumedFrom: state.globalStep,
    };
    const print = parts.print ?? ((line: string) => parts.logger.info(line));
    report.attach(
      new TrackerFanOut(
        parts.trackers,
        { ...origin, config: parts.redactedConfig ?? redact(config), print },
        {
          warn: (message) => report.warn('TRACKER_FAILED', message),
          abort,
          wait: (work) =>
            withinGrace(work, { clock: parts.clock ?? SYSTEM_CLOCK, abort, patienceMs: PATIENCE_MS }),
        },
      ),
    );
    report.emit({ event: 'start', ...origin, totalSteps: state.totalSteps });
    for (const fault of run?.passedOver ?? []) report.warn('CHECKPOINT_PASSED_OVER', fault);
    if (run !== null && !config.trainer.valOnly && !parts.backend.capabilities.checkpoints) {
      report.warn(
        'NO_CHECKPOINTS',
        `The backend "${parts.backend.name}" cannot save checkpoints: this run cannot be resumed.`,
      );
    }
  }

  /**
   * Trains to the end of the plan, to `stopWhen`, or until it is asked to stop.
   *
   * The hooks at the end of training are called however it ends; after a failure, theirs is only warned about.
   */
  async train(): Promise<RunStatus> {
    const { lifecycle, report } = this.#context;
    const { state } = this.#progress;
    let status: RunStatus;
    try {
      status = await this.#train();
    } catch (thrown) {
      this.#isOver = true;
      await lifecycle.trainEnd(state).catch((second: unknown) => {
        report.warn('HOOK_FAILED', messageOf(second));
      });
      throw thrown;
    }
    this.#isOver = true;
    await lifecycle.trainEnd(state);
    return status;
  }

  get directory(): string {
    return this.#context.parts.run?.directory ?? '';
  }

  isEnding(): boolean {
    return this.#isOver || this.#isAtGoal || this.#context.stop.aborted;
  }

  currentCheckpoint(): string | null {
    const { saved, state } = this.#progress;
    return saved?.step === state.globalStep ? saved.directory : null;
  }

  async saveCheckpoint(): Promise<string | null> {
    throwIfAborted(this.#context);
    const directory = await saveCheckpoint(this.#context, this.#progress, this.#data);
    throwIfAborted(this.#context);
    return directory;
  }

  onStop({ by, reason }: RunStop): void {
    this.#context.report.emit({ event: 'stop', step: this.#progress.state.globalStep, by, reason });
  }

  async #train(): Promise<RunStatus> {
    const { trainer } = this.#context.parts.config;
    const { state } = this.#progress;
    this.#isReached = this.#wasReached();
    let isDone = true;
    if (trainer.valOnly || isValidationDue(trainer, state.globalStep)) isDone = await this.#validate();
    if (!trainer.valOnly) {
      await this.#steps();
      isDone = this.#isAtGoal && (trainer.testFreq === 0 || (await this.#validate()));
      await this.saveCheckpoint();
    }
    return isDone ? 'completed' : 'interrupted';
  }

  async #steps(): Promise<void> {
    const { parts, lifecycle, stop } = this.#context;
    const { state } = this.#progress;
    const { trainer } = parts.config;
    const loader = required(this.#data.train, 'train');
    let isInEpoch = false;
    while (!this.#isAtGoal && !stop.aborted) {
      const batch = loader.at(this.#progress.cursor);
      state.epoch = batch.epoch;
      if (!isInEpoch) await lifecycle.epochStart(state);
      await this.#step(batch);
      isInEpoch = !batch.endsEpoch;
      if (batch.endsEpoch) await lifecycle.epochEnd(state);
      if (isSaveDue(trainer, state.globalStep) || this.#isAtGoal || stop.aborted) await this.saveCheckpoint();
      if (isValidationDue(trainer, state.globalStep)) await this.#validate();
    }
    if (isInEpoch && !stop.aborted) await lifecycle.epochEnd(state);
  }

  /** One batch with its hooks and its record. The step and the cursor go on by one, whether or not it trained. */
  async #step(batch: TaskBatch): Promise<void> {
    const { parts, lifecycle, report, steering, now } = this.#context;
    const { state } = this.#progress;
    const started = now();
    steering.phase = 'withinStep';
    state.globalStep++;
    await lifecycle.batchStart(state);
    const work = await trainStep(this.#context, state, batch, {
      rollouts: parts.config.rollout.n,
      update: true,
    });
    await lifecycle.batchEnd(state);
    throwIfAborted(this.#context);
    state.metrics['time/step_s'] = (now() - started) / 1000;
    this.#progress.cursor = batch.next;
    if (work.skipped !== null) {
      report.warn(work.skipped.code, `Step ${state.globalStep} changed nothing. ${work.skipped.reason}`);
    }
    await this.#log(work);
    steering.phase = 'betweenSteps';
  }

  /** Stage 8: metrics, episodes, a sample of trajectories. */
  async #log(work: StepWork): Promise<void> {
    const { parts, report } = this.#context;
    const { state } = this.#progress;
    const { globalStep: step, epoch, totalSteps } = state;
    if (parts.config.tracking.logEpisodes) {
      await parts.run?.writeEpisodes({ mode: 'train', step, epoch }, [...work.generated, ...work.baselines]);
    }
    const record = { step, epoch, kind: 'train' as const, metrics: state.metrics };
    const metrics = await report.record(record);
    this.#progress.lastStep = metrics;
    this.#isReached = this.#stopWhen.isMet({ ...record, metrics }, work.skipped !== null);
    report.emit({ event: 'step', step, epoch, totalSteps, metrics });
    const groups = state.trajectoryGroups.length > 0 ? state.trajectoryGroups : work.grouped;
    for (const { group, index } of sampleTrajectories(groups, parts.config.trainer.showTrajectories)) {
      const view = trajectoryView(group, index, parts.backend.tokens);
      if (view !== undefined) report.emit({ event: 'trajectory', step, view });
    }
  }

  /**
   * Validates unless there is no data for it or these very weights were validated before.
   *
   * @returns false when it was cut short, since the run shall stop, and so remains to be done.
   */
  async #validate(): Promise<boolean> {
    const { parts, report, stop } = this.#context;
    const { state } = this.#progress;
    const version = parts.backend.weightVersion;
    if (this.#data.val === null || this.#progress.validatedVersion === version) return true;
    if (stop.aborted) return false;
    const measured = await validate(this.#context, state, this.#data.val);
    throwIfAborted(this.#context);
    if (measured === null) return !stop.aborted;
    const { globalStep: step, epoch } = state;
    const record = { step, epoch, kind: 'val' as const, metrics: measured };
    const metrics = await report.record(record);
    this.#progress.validatedVersion = version;
    this.#progress.lastValidation = metrics;
    this.#isReached ||= this.#stopWhen.isMet({ ...record, metrics }, false);
    report.emit({ event: 'validation', step, epoch, metrics });
    return true;
  }

  get #isAtGoal(): boolean {
    const { state } = this.#progress;
    const isAskedToStop = this.#context.steering.stop !== null;
    return isAskedToStop || this.#isReached || state.globalStep >= state.totalSteps;
  }

  /** A resumed run may have reached its goal before: its last records tell. */
  #wasReached(): boolean {
    const { state, lastStep, lastValidation } = this.#progress;
    const at = { step: state.globalStep, epoch: state.epoch };
    return (
      this.#stopWhen.isMet({ ...at, kind: 'train', metrics: lastStep }, true) ||
      this.#stopWhen.isMet({ ...at, kind: 'val', metrics: lastValidation }, true)
    );
  }
}
