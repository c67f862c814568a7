import { rowAdvantages, type TrainingRow } from 'rllm-sdk';
import type { Datum, LossInput } from 'rllm-tinker-client';

/**
 * A row of tokens with its advantages as a datum of the Tinker API. `rowBatch` of the SDK makes the rows: a step whose prompt extends
 * everything before it, token for token, goes on in the same row, any other begins a new one; rows are shifted, so that entry i predicts target i.
 *
 * Two steps, P = [1 2 3], R = [10 11], log-probs [−1 −2], and P = [1 2 3 10 11 4 5], R = [12], log-prob [−3], both with advantage ½:
 *
 * ```
 * whole      1  2  3 10 11  4  5 12
 * modelInput 1  2  3 10 11  4  5
 * targets    2  3 10 11  4  5 12
 * logprobs   0  0 −1 −2  0  0 −3
 * advantages 0  0  ½  ½  0  0  ½
 * mask       0  0  1  1  0  0  1
 * ```
 *
 * Targets that the model did not sample have advantage 0. `weights` is the mask beside advantages; in `cross_entropy`, which takes no
 * advantages, it is the advantages.
 *
 * @param inputs  loss inputs that the engine takes for the loss, by the protocol's names.
 * @see rLLM, `rllm/trainer/tinker/transform.py`
 */
export function datumOf(row: TrainingRow, inputs: readonly string[]): Datum {
  const advantages = rowAdvantages(row);
  const known: Readonly<Record<string, LossInput>> = {
    target_tokens: row.targets,
    logprobs: row.logprobs,
    advantages,
    weights: inputs.includes('advantages') ? row.sampled : advantages,
  };
  const lossInputs: Record<string, LossInput> = {};
  for (const name of inputs) {
    const input = known[name];
    if (input !== undefined) lossInputs[name] = input;
  }
  return { modelInput: row.tokens, lossInputs };
}
