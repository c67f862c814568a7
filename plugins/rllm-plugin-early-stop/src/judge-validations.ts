import type { EarlyStopOptions } from './early-stop-options.js';

/** What one validation measured. */
export interface Validation {
  /** Training steps taken before it. */
  readonly step: number;
  readonly value: number;
}

/** What all validations of a run so far say. */
export interface Verdict {
  /** The best one, the first of equals; `undefined` when there is none yet. */
  readonly best: Validation | undefined;
  /** Validations since the last improvement, those of the warm-up not counted. */
  readonly waited: number;
  /** Why the run should stop, as a sentence; `undefined` when it should go on. */
  readonly stop: string | undefined;
}

type Rules = Pick<EarlyStopOptions, 'metric' | 'mode' | 'patience' | 'minDelta' | 'warmupSteps' | 'target'>;

/**
 * Decides from the whole history, so that a resumed run decides as an uninterrupted one.
 *
 * `best` is the greatest value (the least with `mode: 'min'`), by however little. Patience has its own mark, which moves only
 * when a value is better by more than `minDelta`: a rise in steps smaller than that is no improvement until together they
 * exceed it. Both are what Keras' EarlyStopping and ModelCheckpoint do.
 *
 * @param validations  in the order of their steps; not modified.
 * @see https://keras.io/api/callbacks/early_stopping/
 */
export function judgeValidations(validations: readonly Validation[], rules: Rules): Verdict {
  const { mode, patience, minDelta, warmupSteps, target } = rules;
  const sign = mode === 'max' ? 1 : -1;
  let best: Validation | undefined;
  let mark: Validation | undefined;
  let waited = 0;
  for (const validation of validations) {
    const { value, step } = validation;
    if (best === undefined || sign * value > sign * best.value) best = validation;
    if (mark === undefined || sign * (value - mark.value) > minDelta) {
      mark = validation;
      waited = 0;
    } else if (step >= warmupSteps) {
      waited++;
    }
  }
  const last = validations.at(-1);
  let stop: string | undefined;
  if (last !== undefined && target !== null && sign * (last.value - target) >= 0) {
    stop = `${rules.metric} is ${last.value}, which reaches its target ${target}`;
  } else if (mark !== undefined && patience !== null && waited >= patience) {
    stop = `${rules.metric} was ${mark.value} at step ${mark.step} and has not improved ${amount(minDelta)}in ${waited} ${waited === 1 ? 'validation' : 'validations'}`;
  }
  return { best, waited, stop };
}

function amount(minDelta: number): string {
  return minDelta === 0 ? '' : `by more than ${minDelta} `;
}
