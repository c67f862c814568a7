import type { Metrics } from '../../types/index.js';
import type { TrainingRow } from '../trajectory-rows.js';
import { evaluationOf } from './evaluation.js';
import type { WorkerPool } from './worker-pool.js';

/** What a run wants to know of every sampled token before advantages are computed. */
export interface WantedSignals {
  readonly values: boolean;
  readonly reference: boolean;
  readonly teacher: boolean;
}

/**
 * Writes `values`, `referenceLogprobs` and `teacherLogprobs`, as far as they are wanted, to every step of the rows.
 *
 * `train/kl_reference` and `train/kl_teacher` are mean(q − p) over the sampled tokens, q the sampled log-prob and p that of the frozen model:
 * KL(policy ‖ frozen) in expectation, of either sign in a batch.
 */
export async function writeTokenSignals(
  rows: readonly TrainingRow[],
  wanted: WantedSignals,
  pool: WorkerPool,
): Promise<Metrics> {
  if (rows.length === 0 || !(wanted.values || wanted.reference || wanted.teacher)) return {};
  const { batches, deal } = evaluationOf(rows);
  const metrics: Metrics = {};
  if (wanted.values) {
    deal(await pool.values(batches), (step, values) => {
      step.values = values;
    });
  }
  for (const [model, field] of FROZEN) {
    if (!wanted[model]) continue;
    let sum = 0;
    let tokens = 0;
    deal(await pool.logprobs(model, batches), (step, logprobs) => {
      step[field] = logprobs;
      for (const [i, logprob] of logprobs.entries()) sum += (step.logprobs[i] as number) - logprob;
      tokens += logprobs.length;
    });
    metrics[`train/kl_${model}`] = sum / tokens;
  }
  return metrics;
}

const FROZEN = [
  ['reference', 'referenceLogprobs'],
  ['teacher', 'teacherLogprobs'],
] as const;
