import * as z from 'zod';
import type { SampledSequence, SampleResult, TokenLogprob } from '../types/sampling.js';
import { invalidResponse } from './invalid-response.js';

/** The numbers in it are checked by hand, where they are copied. */
const list = z.custom<readonly unknown[]>(Array.isArray);

const FRAME = z.object({
  sequences: z.array(
    z.object({
      stop_reason: z.enum(['stop', 'length']),
      tokens: list,
      logprobs: list.nullish(),
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
export function decodeJsonSampleResult(body: unknown, promptLength: number): SampleResult {
  const frame = FRAME.safeParse(body);
  if (!frame.success) throw invalidResponse('a result of sampling that lacks its fields', frame.error);
  const { sequences, prompt_logprobs, topk_prompt_logprobs } = frame.data;
  return {
    sequences: sequences.map(sequenceOf),
    promptLogprobs: perPosition(prompt_logprobs, promptLength, 'prompt_logprobs')?.map(logprobOrNull),
    topkPromptLogprobs: perPosition(topk_prompt_logprobs, promptLength, 'topk_prompt_logprobs')?.map(
      likeliestOrNull,
    ),
  };
}

function sequenceOf({ stop_reason, tokens, logprobs }: Sequence, index: number): SampledSequence {
  if (logprobs?.length !== tokens.length) {
    throw invalidResponse(
      `sequence ${index} has ${tokens.length} tokens and ${logprobs?.length ?? 'no'} logprobs`,
    );
  }
  return {
    tokens: numbersInto(new Int32Array(tokens.length), tokens, `sequence ${index}`),
    logprobs: numbersInto(new Float64Array(tokens.length), logprobs, `the logprobs of sequence ${index}`),
    stopReason: stop_reason,
  };
}

function numbersInto<T extends Int32Array | Float64Array>(
  array: T,
  values: readonly unknown[],
  what: string,
): T {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== 'number')
      throw invalidResponse(`${what} has ${JSON.stringify(value)} at position ${i}`);
    array[i] = value;
  }
  return array;
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
