import { type Logger, RllmError } from 'rllm-sdk';
import type { SamplingClient, TrainingClient } from 'rllm-tinker-client';

/** Tokens that are sampled for the comparison. */
const SAMPLE_TOKENS = 8;

/** A few tokens that the model sampled behind a prompt. */
export interface SampledTokens {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
  /** One per token. */
  readonly logprobs: readonly number[];
}

/** Sampling and training compared on the same tokens. */
export interface Agreement {
  /** Largest absolute difference of a log-prob, in nats. */
  readonly difference: number;
  readonly tokens: number;
}

/**
 * Samples a few tokens.
 *
 * @param prompt  ids, at least one.
 * @throws RllmError BACKEND_FAILED when the engine gives no ids, or not a log-prob for each.
 */
export async function sampleTokens(
  sampler: Pick<SamplingClient, 'sample'>,
  prompt: readonly number[],
): Promise<SampledTokens> {
  const { sequences } = await sampler.sample(prompt, { params: { maxTokens: SAMPLE_TOKENS, seed: 1 } });
  const tokens = [...(sequences[0]?.tokens ?? [])];
  const logprobs = [...(sequences[0]?.logprobs ?? [])];
  if (tokens.length > 0 && logprobs.length === tokens.length) return { prompt, tokens, logprobs };
  throw new RllmError(
    'BACKEND_FAILED',
    `The engine sampled ${tokens.length} token ids with ${logprobs.length} log-probs; training needs both, one for one.`,
  );
}

/** Asks the training side for the log-probs of sampled tokens: with equal weights they are equal, up to rounding. */
export async function compareLogprobs(
  training: Pick<TrainingClient, 'forward'>,
  { prompt, tokens, logprobs }: SampledTokens,
): Promise<Agreement> {
  const whole = [...prompt, ...tokens];
  const targets = whole.slice(1);
  const weights = targets.map((_, i) => (i >= prompt.length - 1 ? 1 : 0));
  const { outputs } = await training.forward(
    [{ modelInput: whole.slice(0, -1), lossInputs: { target_tokens: targets, weights } }],
    'cross_entropy',
  );
  const trained = outputs[0]?.logprobs.subarray(prompt.length - 1) ?? [];
  const differences = logprobs.map((logprob, i) => Math.abs(logprob - (trained[i] ?? Number.NaN)));
  return { difference: Math.max(...differences), tokens: tokens.length };
}

/** What a difference over the tolerance may mean; undefined where there is none. */
export function disagreement({ difference, tokens }: Agreement, tolerance: number): string | undefined {
  // Also where it is NaN, for want of a log-prob.
  if (difference <= tolerance) return undefined;
  return (
    `Sampling and training disagree: log-probs of ${tokens} tokens differ by up to ${difference.toPrecision(3)} nats, ` +
    `more than selfCheckTolerance ${tolerance}. A difference below 0.05 is rounding of an engine that samples and trains in different ` +
    'precision or kernels: raise the tolerance. A larger one means that samples come from other weights than those that are trained, ' +
    'or that its log-probs are not those of temperature 1: training would be off-policy from the first step.'
  );
}

/** What a run makes of the comparison. */
export interface SelfCheckPolicy {
  readonly mode: 'fail' | 'warn';
  readonly tolerance: number;
  readonly logger: Logger;
}

/** @throws RllmError BACKEND_FAILED when sampling and training disagree and `mode` is `fail`. */
export function judgeAgreement(agreement: Agreement, { mode, tolerance, logger }: SelfCheckPolicy): void {
  const fault = disagreement(agreement, tolerance);
  if (fault === undefined) return;
  if (mode === 'warn') logger.warn(fault);
  else throw new RllmError('BACKEND_FAILED', fault, { details: { ...agreement } });
}
