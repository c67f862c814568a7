import type {
  AdamParams,
  ForwardResult,
  OptimStepResult,
  SamplingClient,
  TrainingClient,
} from 'rllm-tinker-client';
import type { LossPart, Substep } from './substep.js';

/** A part with what the engine computed on it. */
export interface DonePart {
  readonly part: LossPart;
  readonly result: ForwardResult;
}

/** An optimiser step that was taken. */
export interface DoneSubstep {
  readonly parts: readonly DonePart[];
  readonly optim: OptimStepResult;
}

/** An update that was taken. */
export interface Update {
  readonly steps: readonly DoneSubstep[];
  /** Of the weights after the last step. */
  readonly sampler: SamplingClient;
  /** From the end of the last step until there was a sampler. */
  readonly refreshSeconds: number;
}

/**
 * Takes the steps in order and saves a sampler of the new weights. A step is submitted whole before the results of the one before are awaited, and
 * the sampler before those of the last, so that the engine never waits for us. On an engine that would let the next step's optimizer overtake its
 * gradients, each step is awaited first.
 *
 * @param taken  called after each step that the engine has taken.
 */
export async function takeUpdate(
  training: TrainingClient,
  substeps: readonly Substep[],
  adam: AdamParams,
  taken: () => void,
): Promise<Update> {
  const steps: DoneSubstep[] = [];
  const settle = async (submitted: Promise<DoneSubstep> | undefined): Promise<void> => {
    if (submitted === undefined) return;
    steps.push(await submitted);
    taken();
  };
  let last: Promise<DoneSubstep> | undefined;
  for (const substep of substeps) {
    if (!training.engine.keepsOrder) {
      await settle(last);
      last = undefined;
    }
    const submitted = submit(training, substep, adam);
    await settle(last);
    last = submitted;
  }
  const saved = training.saveWeightsAndGetSamplingClient();
  saved.catch(() => undefined);
  await settle(last);
  const end = performance.now();
  const sampler = await saved;
  return { steps, sampler, refreshSeconds: (performance.now() - end) / 1000 };
}

/** One forward_backward for each part, then one step on the sum of their gradients. */
function submit(training: TrainingClient, substep: Substep, adam: AdamParams): Promise<DoneSubstep> {
  const parts = substep.map((part) =>
    training.forwardBackward(part.data, part.call.fn, part.call.config).map((result) => ({ part, result })),
  );
  const optim = training.optimStep(adam);
  const done = Promise.all([Promise.all(parts), optim]).then(([results, step]) => ({
    parts: results,
    optim: step,
  }));
  // It may fail while the step before is awaited; whoever awaits this one is told.
  done.catch(() => undefined);
  return done;
}
