import type { UntrainableReason } from '../filtering/index.js';
import type { Step, Trajectory } from '../types/index.js';
import { tokenAdvantages } from './backend.js';

/**
 * A token sequence to train on, shifted: entry i predicts `targets[i]` from `tokens[0..i]`. All lists have one length.
 *
 * `logprobs` and `sampled` are 0 where the target is not the model's own token.
 */
export interface TrainingRow {
  readonly tokens: readonly number[];
  readonly targets: readonly number[];
  readonly logprobs: readonly number[];
  readonly sampled: readonly (0 | 1)[];
  /** Where the response of each step begins among the entries. */
  readonly spans: readonly { readonly step: Step; readonly start: number }[];
}

/** What a model can take in. */
export interface TokenLimits {
  readonly vocabularySize: number;
  /** Tokens of a whole sequence. */
  readonly contextLength: number;
}

/** Why a trajectory cannot be trained on, as a whole, by the first of its steps that cannot; undefined when it can. */
export function trajectoryFault({ steps }: Trajectory, limits: TokenLimits): UntrainableReason | undefined {
  let hasTokens = false;
  for (const step of steps) {
    if (step.responseIds.length === 0) continue;
    hasTokens = true;
    const fault = stepFault(step, limits);
    if (fault !== undefined) return fault;
  }
  return hasTokens ? undefined : 'no_tokens';
}

/**
 * Rows of a trajectory that has no fault. A step whose prompt extends everything before it, token for token, goes on in the same row; any
 * other step begins a new one. Steps without response tokens are left out.
 *
 * @see rLLM, `rllm/trainer/tinker/transform.py`
 */
export function trajectoryRows({ steps }: Trajectory): readonly TrainingRow[] {
  const sequences: Sequence[] = [];
  for (const step of steps) {
    if (step.responseIds.length === 0) continue;
    let sequence = sequences.at(-1);
    if (sequence === undefined || !extendsTokens(step.promptIds, sequence.tokens)) {
      sequence = { tokens: [], logprobs: [], sampled: [], spans: [] };
      sequences.push(sequence);
    }
    appendStep(sequence, step);
  }
  return sequences.map(shifted);
}

/** Advantage of each entry of a row, 0 where the target was not sampled. Read after the core has set `step.advantage`. */
export function rowAdvantages(row: TrainingRow): Float64Array {
  const advantages = new Float64Array(row.targets.length);
  for (const { step, start } of row.spans) advantages.set(tokenAdvantages(step), start);
  return advantages;
}

/**
 * What the critic should say before each sampled token: `step.returns`, which the core has set where the estimator gives returns per token,
 * else the trajectory's reward.
 *
 * @returns  undefined where there is neither, so that there is nothing to learn.
 */
export function rowReturns(row: TrainingRow, reward: number | undefined): RowReturns | undefined {
  const targets = new Float64Array(row.targets.length);
  const before = new Float64Array(row.targets.length);
  for (const { step, start } of row.spans) {
    const { returns = reward, values, responseIds } = step;
    if (returns === undefined) return undefined;
    if (typeof returns === 'number') targets.fill(returns, start, start + responseIds.length);
    else targets.set(returns, start);
    if (values !== undefined) before.set(values, start);
  }
  return { targets, before };
}

/** What the critic should say at each entry of a row, and what it said before the update; 0 where the target was not sampled. */
export interface RowReturns {
  readonly targets: Float64Array;
  readonly before: Float64Array;
}

interface Sequence {
  readonly tokens: number[];
  readonly logprobs: number[];
  readonly sampled: (0 | 1)[];
  readonly spans: { readonly step: Step; readonly start: number }[];
}

/** Plain loops: a step may have tens of thousands of tokens, and a batch hundreds of steps. */
function appendStep(sequence: Sequence, step: Step): void {
  const { promptIds, responseIds, logprobs } = step;
  for (let i = sequence.tokens.length; i < promptIds.length; i++) {
    sequence.tokens.push(promptIds[i] as number);
    sequence.logprobs.push(0);
    sequence.sampled.push(0);
  }
  sequence.spans.push({ step, start: sequence.tokens.length - 1 });
  for (let i = 0; i < responseIds.length; i++) {
    sequence.tokens.push(responseIds[i] as number);
    sequence.logprobs.push(logprobs[i] ?? 0);
    sequence.sampled.push(1);
  }
}

function shifted({ tokens, logprobs, sampled, spans }: Sequence): TrainingRow {
  return {
    tokens: tokens.slice(0, -1),
    targets: tokens.slice(1),
    logprobs: logprobs.slice(1),
    sampled: sampled.slice(1),
    spans,
  };
}

function extendsTokens(prompt: readonly number[], tokens: readonly number[]): boolean {
  return prompt.length >= tokens.length && tokens.every((token, i) => prompt[i] === token);
}

function stepFault(step: Step, limits: TokenLimits): UntrainableReason | undefined {
  const { promptIds, responseIds, logprobs } = step;
  if (promptIds.length === 0) return 'prompt_missing';
  if (logprobs.length === 0) return 'logprobs_missing';
  if (logprobs.length !== responseIds.length) return 'logprobs_length';
  if (!logprobs.every(Number.isFinite)) return 'logprobs_not_finite';
  const isKnown = (id: number): boolean => Number.isInteger(id) && id >= 0 && id < limits.vocabularySize;
  if (!promptIds.every(isKnown) || !responseIds.every(isKnown)) return 'token_unknown';
  return promptIds.length + responseIds.length > limits.contextLength ? 'too_long' : undefined;
}
