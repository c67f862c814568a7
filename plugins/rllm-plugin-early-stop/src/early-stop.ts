import {
  type LifecycleHooks,
  type Logger,
  type Metrics,
  RllmError,
  type RunControl,
  suggestion,
  type TrainerState,
} from 'rllm-sdk';
import {
  type BestRecord,
  checkpointOf,
  readBest,
  recoverBest,
  removeBest,
  writeBest,
} from './best-checkpoint.js';
import type { EarlyStopOptions } from './early-stop-options.js';
import { judgeValidations, type Validation } from './judge-validations.js';
import { readValidations } from './read-validations.js';

/**
 * The hooks of one run: follows a metric of the validation, keeps the best checkpoint, stops the run when it is time.
 *
 * Its only state is the list of validations, which `metrics.jsonl` holds: a run that was killed or resumed from an earlier
 * checkpoint goes on as if nothing had been, and what came after that checkpoint is forgotten, `best/` included.
 */
export class EarlyStop implements LifecycleHooks {
  readonly #options: EarlyStopOptions;
  readonly #logger: Logger;
  /** Absent outside training: `rllm eval` validates too, and stops nothing. */
  #validations: readonly Validation[] | undefined;
  #isWarned = false;

  constructor(options: EarlyStopOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
  }

  /** Takes up the history of a resumed run, which may have reached its end before. */
  async onTrainStart({ globalStep }: TrainerState, run: RunControl): Promise<void> {
    const { metric, keepBest } = this.#options;
    const recorded = run.directory === '' ? [] : await readValidations(run.directory, metric);
    const validations = recorded.filter(({ step }) => step <= globalStep);
    this.#validations = validations;
    const { best, stop } = judgeValidations(validations, this.#options);
    if (keepBest && run.directory !== '') await this.#rewindBest(run.directory, globalStep, best);
    if (stop !== undefined) run.stop(stop);
  }

  /** @throws RllmError UNKNOWN_NAME when the validation has no such metric. */
  async onValidationEnd(
    { globalStep: step }: TrainerState,
    metrics: Metrics,
    run: RunControl,
  ): Promise<void> {
    if (this.#validations === undefined) return;
    const { metric, keepBest } = this.#options;
    const value = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
    if (value === undefined) {
      throw new RllmError(
        'UNKNOWN_NAME',
        `The validation has no metric "${metric}", which early stopping follows. ${suggestion(metric, Object.keys(metrics))}`,
      );
    }
    const validations = [...this.#validations.filter((earlier) => earlier.step < step), { step, value }];
    const { best, stop } = judgeValidations(validations, this.#options);
    if (keepBest && best?.step === step) await this.#keep(run, best);
    this.#validations = validations;
    if (stop !== undefined) run.stop(stop);
  }

  onTrainEnd(): void {
    this.#validations = undefined;
  }

  async #keep(run: RunControl, best: Validation): Promise<void> {
    if (run.directory === '') return;
    const checkpoint = await run.checkpoint();
    if (checkpoint !== null) {
      await writeBest(run.directory, checkpoint, this.#record(best));
      return;
    }
    if (this.#isWarned) return;
    this.#isWarned = true;
    this.#logger.warn(
      'No best checkpoint is kept, since the backend cannot save any; keepBest: false says so.',
    );
  }

  /** Makes `best/` that of the history: one of a step after the resumed one belongs to a past that is being redone. */
  async #rewindBest(directory: string, resumed: number, best: Validation | undefined): Promise<void> {
    await recoverBest(directory);
    const kept = await readBest(directory);
    if (kept !== undefined && kept.step === best?.step) return;
    const checkpoint = best === undefined ? undefined : await checkpointOf(directory, best.step);
    if (best !== undefined && checkpoint !== undefined) {
      await writeBest(directory, checkpoint, this.#record(best));
    } else if (kept !== undefined && kept.step > resumed) {
      await removeBest(directory);
      this.#logger.warn(
        `The best checkpoint was of step ${kept.step}, and the run goes on from step ${resumed}: it is removed, and none is kept before the next better validation.`,
      );
    }
  }

  #record(best: Validation): BestRecord {
    const { metric, mode } = this.#options;
    return { metric, mode, ...best };
  }
}
