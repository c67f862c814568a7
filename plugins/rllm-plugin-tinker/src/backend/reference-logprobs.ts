import { type Metrics, RllmError, type TrajectoryRows } from 'rllm-sdk';
import type { SamplingClient } from 'rllm-tinker-client';

/**
 * Writes `step.referenceLogprobs`, shape [response tokens], from the base model: one call for each row on its whole sequence.
 *
 * `train/kl_reference` is mean(q − p) over the sampled tokens, q the sampled log-prob and p that of the base model: KL(policy ‖ base) in
 * expectation, of either sign in a batch.
 *
 * @throws RllmError BACKEND_FAILED when the engine leaves a sampled token without a log-prob.
 */
export async function writeReferenceLogprobs(
  trajectories: readonly TrajectoryRows[],
  base: Pick<SamplingClient, 'computeLogprobs'>,
): Promise<Metrics> {
  const rows = trajectories.flatMap((trajectory) => trajectory.rows);
  const answers = await Promise.all(
    rows.map(({ tokens, targets }) => base.computeLogprobs([...tokens.slice(0, 1), ...targets])),
  );
  let sum = 0;
  let count = 0;
  for (const [i, { spans }] of rows.entries()) {
    for (const { step, start } of spans) {
      // Entry `start` predicts token `start + 1` of the whole sequence.
      const logprobs = step.responseIds.map((_, at) => answers[i]?.[start + 1 + at]).filter(isNumber);
      if (logprobs.length < step.responseIds.length) {
        throw new RllmError(
          'BACKEND_FAILED',
          `The engine gave the base model's log-probs of ${logprobs.length} of the ${step.responseIds.length} tokens of step "${step.id}".`,
        );
      }
      step.referenceLogprobs = logprobs;
      for (const [at, logprob] of logprobs.entries()) sum += (step.logprobs[at] ?? 0) - logprob;
      count += logprobs.length;
    }
  }
  return count === 0 ? {} : { 'train/kl_reference': sum / count };
}

function isNumber(logprob: number | null | undefined): logprob is number {
  return typeof logprob === 'number';
}
