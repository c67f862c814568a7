import type { SampledSequence, SampleResult, TokenLogprob } from '../types/sampling.js';
import { invalidResponse } from './invalid-response.js';
import { readMessage } from './read-message.js';

/** What fills a row of the likeliest tokens that has none. */
const EMPTY_LOGPROB = -99_999;

type Likeliest = NonNullable<SampleResult['topkPromptLogprobs']>;

/** `tinker_public.SampleResponse`. @throws TinkerError RESPONSE_INVALID */
export function decodeProtobufSampleResult(bytes: Uint8Array): SampleResult {
  const sequences: SampledSequence[] = [];
  let promptLogprobs: SampleResult['promptLogprobs'];
  let topkPromptLogprobs: SampleResult['topkPromptLogprobs'];
  readMessage(bytes, (field, reader) => {
    if (field === 1) sequences.push(readSequence(reader.bytes()));
    // NaN stands for one that was not computed.
    else if (field === 2)
      promptLogprobs = Array.from(floatsOf(reader.bytes()), (x) => (Number.isNaN(x) ? null : x));
    else if (field === 3) topkPromptLogprobs = readLikeliest(reader.bytes());
    else return false;
    return true;
  });
  return { sequences, promptLogprobs, topkPromptLogprobs };
}

function readSequence(bytes: Uint8Array): SampledSequence {
  let stopReason: SampledSequence['stopReason'] = 'stop';
  let tokens = new Int32Array();
  let logprobs = new Float32Array();
  readMessage(bytes, (field, reader) => {
    if (field === 1) stopReason = reader.int32() === 1 ? 'length' : 'stop';
    else if (field === 2) tokens = integersOf(reader.bytes());
    else if (field === 3) logprobs = floatsOf(reader.bytes());
    else return false;
    return true;
  });
  if (tokens.length !== logprobs.length) {
    throw invalidResponse(`a sequence with ${tokens.length} tokens and ${logprobs.length} logprobs`);
  }
  return { tokens, logprobs, stopReason };
}

function readLikeliest(bytes: Uint8Array): Likeliest {
  let tokens = new Int32Array();
  let logprobs = new Float32Array();
  let k = 0;
  let length = 0;
  readMessage(bytes, (field, reader) => {
    if (field === 1) tokens = integersOf(reader.bytes());
    else if (field === 2) logprobs = floatsOf(reader.bytes());
    else if (field === 3) k = reader.uint32();
    else if (field === 4) length = reader.uint32();
    else return false;
    return true;
  });
  if (tokens.length !== k * length || logprobs.length !== k * length) {
    throw invalidResponse(`${tokens.length} likeliest tokens for ${length} positions of ${k}`);
  }
  return Array.from({ length }, (_, position) => {
    const row: TokenLogprob[] = [];
    for (let i = position * k; i < (position + 1) * k; i++) {
      const logprob = logprobs[i]!;
      if (logprob > EMPTY_LOGPROB) row.push({ token: tokens[i]!, logprob });
    }
    return row.length === 0 ? null : row;
  });
}

function integersOf(bytes: Uint8Array): Int32Array<ArrayBuffer> {
  return new Int32Array(aligned(bytes));
}

function floatsOf(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  return new Float32Array(aligned(bytes));
}

function aligned(bytes: Uint8Array): ArrayBuffer {
  if (bytes.length % 4 !== 0) throw invalidResponse(`${bytes.length} bytes for numbers of four`);
  return new Uint8Array(bytes).buffer;
}
