import * as z from 'zod';
import type { SampledSequence, SampleResult, TokenLogprob } from '../types/sampling.js';
import type { ArrayRange, HoistedJson } from './hoist-arrays.js';
import { invalidResponse } from './invalid-response.js';
import { numbersAt } from './numbers-at.js';
import { readSingles } from './read-floats.js';
import { readNaturals } from './read-naturals.js';

/** Numbers are checked by hand, where they are read. */
const list = z.custom<readonly unknown[]>(Array.isArray);
/** The index of a hoisted array. */
const hoisted = z.int();

const FRAME = z.object({
  sequences: z.array(
    z.object({
      stop_reason: z.enum(['stop', 'length']),
      tokens: hoisted,
      logprobs: hoisted.nullish(),
    }),
  ),
  prompt_logprobs: list.nullish(),
  topk_prompt_logprobs: list.nullish(),
});

type Sequence = z.infer<typeof FRAME>['sequences'][number];

/**
 * @param promptLength  engines that leave out the first token's (missing) log-prob get a null put before it
 * @throws TinkerError RESPONSE_INVALID
 */
export function decodeJsonSampleResult(result: HoistedJson, promptLength: number): SampleResult {
  const frame = FRAME.safeParse(result.body);
  if (!frame.success) throw invalidResponse('a result of sampling that lacks its fields', frame.error);
  const { sequences, prompt_logprobs, topk_prompt_logprobs } = frame.data;
  return {
    sequences: sequences.map((sequence, index) => sequenceOf(sequence, index, result)),
    promptLogprobs: perPosition(prompt_logprobs, promptLength, 'prompt_logprobs')?.map(logprobOrNull),
    topkPromptLogprobs: perPosition(topk_prompt_logprobs, promptLength, 'topk_prompt_logprobs')?.map(
      likeliestOrNull,
    ),
  };
}

function sequenceOf(
  { stop_reason, tokens: tokensIndex, logprobs: logprobsIndex }: Sequence,
  index: number,
  { bytes, ranges }: HoistedJson,
): SampledSequence {
  const at = (i: number | null | undefined): ArrayRange => ranges[i ?? -1] ?? { from: 0, to: 0 };
  const what = `sequence ${index}`;
  const ids = at(tokensIndex);
  const tokens = readNaturals(bytes, ids.from, ids.to) ?? new Int32Array(numbersAt(bytes, ids, what));
  const range = at(logprobsIndex);
  const logprobs =
    readSingles(bytes, range.from, range.to) ??
    new Float64Array(numbersAt(bytes, range, `the logprobs of ${what}`));
  if (logprobs.length !== tokens.length) {
    throw invalidResponse(`${what} has ${tokens.length} tokens and ${logprobs.length} logprobs`);
  }
  return { tokens, logprobs, stopReason: stop_reason };
}

/** A row per token of the prompt: some engines begin with the second. */
function perPosition(
  rows: readonly unknown[] | null | undefined,
  length: number,
  what: string,
): readonly unknown[] | undefined {
  if (rows === null || rows === undefined) return undefined;
  if (rows.length === length) return rows;
  if (rows.length === length - 1) return [null, ...rows];
  throw invalidResponse(`${what} of length ${rows.length} for a prompt of ${length}`);
}

function logprobOrNull(value: unknown, position: number): number | null {
  return value === null ? null : numberOf(value, `prompt_logprobs at ${position}`);
}

function likeliestOrNull(row: unknown, position: number): readonly TokenLogprob[] | null {
  if (row === null) return null;
  if (!Array.isArray(row)) throw invalidResponse(`topk_prompt_logprobs at ${position} is no list`);
  return row.map((pair: unknown) => {
    const [token, logprob] = Array.isArray(pair) ? pair : [];
    const what = `topk_prompt_logprobs at ${position}`;
    return { token: numberOf(token, what), logprob: numberOf(logprob, what) };
  });
}

function numberOf(value: unknown, what: string): number {
  if (typeof value !== 'number') throw invalidResponse(`${what} is ${JSON.stringify(value)}`);
  return value;
}
