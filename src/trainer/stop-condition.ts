import type { TrainerConfig } from '../config/types.js';
import { RllmError } from '../errors.js';
import { suggestion } from '../nearest.js';
import { ownValue } from '../own-value.js';
import type { TrackerRecord } from '../tracking/index.js';

/**
 * Watches the metric of `trainer.stopWhen`. A name that begins with `val/` is looked for in validations, any other in
 * training steps.
 */
export class StopCondition {
  readonly #stopWhen: TrainerConfig['stopWhen'];

  constructor(stopWhen: TrainerConfig['stopWhen']) {
    this.#stopWhen = stopWhen;
  }

  /** True when the condition can only be met by a validation. */
  get needsValidation(): boolean {
    return this.#stopWhen?.metric.startsWith('val/') === true;
  }

  /**
   * True when the record reaches the value.
   *
   * @param mayLack  the record is of a step that trained on nothing, where metrics of training are absent.
   * @throws RllmError UNKNOWN_NAME when the record should have the metric and has not.
   */
  isMet({ kind, metrics }: TrackerRecord, mayLack: boolean): boolean {
    if (this.#stopWhen === null || this.needsValidation !== (kind === 'val')) return false;
    const { metric, atLeast } = this.#stopWhen;
    const value = ownValue(metrics, metric);
    if (value !== undefined) return value >= atLeast;
    if (mayLack) return false;
    const where = kind === 'val' ? 'A validation' : 'A training step';
    throw new RllmError(
      'UNKNOWN_NAME',
      `${where} has no metric "${metric}", which trainer.stopWhen names. ${suggestion(metric, Object.keys(metrics))}`,
      { details: { path: 'trainer.stopWhen.metric', name: metric } },
    );
  }
}
