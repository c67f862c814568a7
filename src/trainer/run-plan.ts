import type { TrainerConfig } from '../config/types.js';
import { RllmError } from '../errors.js';
import { type RunData, required } from './run-data.js';
import { StopCondition } from './stop-condition.js';
import type { TrainerParts } from './trainer-parts.js';

/**
 * Steps of a whole run. `totalBatches` steps if it is set, over as many epochs as that takes; else every batch of
 * `totalEpochs` epochs. Nothing but an interruption or `stopWhen` makes it fewer.
 */
export function plannedSteps(trainer: TrainerConfig, batchesPerEpoch: number): number {
  if (trainer.valOnly) return 0;
  return trainer.totalBatches ?? trainer.totalEpochs * batchesPerEpoch;
}

/** Whether the weights after `step` steps shall be validated, the last step apart. */
export function isValidationDue(trainer: TrainerConfig, step: number): boolean {
  if (step === 0) return trainer.valBeforeTrain || trainer.valOnly;
  return trainer.testFreq > 0 && step % trainer.testFreq === 0;
}

export function isSaveDue(trainer: TrainerConfig, step: number): boolean {
  return trainer.saveFreq > 0 && step % trainer.saveFreq === 0;
}

/**
 * Checks that the run can be what the config asks for, before anything is started.
 *
 * @throws RllmError DATASET_EMPTY, CAPABILITY_MISSING, SETTING_IMPOSSIBLE.
 */
export function checkPlan({ config, backend }: TrainerParts, data: RunData): void {
  const { trainer } = config;
  if (trainer.valOnly) {
    required(data.val, 'val');
    return;
  }
  required(data.train, 'train');
  if (!backend.capabilities.training) {
    throw new RllmError(
      'CAPABILITY_MISSING',
      `The backend "${backend.name}" only samples, it does not train; set trainer.valOnly to validate with it.`,
      { details: { path: 'backend.name' } },
    );
  }
  const validates = data.val !== null && (trainer.testFreq > 0 || trainer.valBeforeTrain);
  if (new StopCondition(trainer.stopWhen).needsValidation && !validates) {
    throw new RllmError(
      'SETTING_IMPOSSIBLE',
      `trainer.stopWhen waits for "${trainer.stopWhen?.metric}", but nothing is validated: ${
        data.val === null
          ? 'there is no validation data (data.val)'
          : 'trainer.testFreq is 0 and trainer.valBeforeTrain is false'
      }.`,
      { details: { path: 'trainer.stopWhen' } },
    );
  }
}
