import type { HttpRequest } from '../transport/http-transport.js';
import type { SampleRequest } from '../types/sampling.js';
import type { Tokens } from '../types/tokens.js';
import { JsonWriter } from './json-writer.js';

/** A sample call in JSON, its only form. Defaults are written out, so that engines that differ in theirs do not matter. */
export function encodeSampleRequest(
  samplingSessionId: string,
  seqId: number,
  prompt: Tokens,
  request: SampleRequest,
): HttpRequest {
  const { params, numSamples = 1, promptLogprobs = false, topkPromptLogprobs = 0 } = request;
  const { maxTokens, temperature = 1, topP = 1, topK = -1, seed, stop } = params;
  const writer = new JsonWriter(512 + 6 * prompt.length);
  writer.text('{"prompt":{"chunks":[{"type":"encoded_text","tokens":').integers(prompt);
  writer.text('}]},"sampling_params":').value({
    max_tokens: maxTokens,
    temperature,
    top_p: topP,
    top_k: topK,
    seed,
    stop,
  });
  const rest = JSON.stringify({
    sampling_session_id: samplingSessionId,
    seq_id: seqId,
    num_samples: numSamples,
    prompt_logprobs: promptLogprobs,
    topk_prompt_logprobs: topkPromptLogprobs,
    type: 'sample',
  });
  return {
    method: 'POST',
    path: '/asample',
    headers: { 'X-Tinker-Sampling-Backpressure': '1' },
    body: writer.text(',').text(rest.slice(1)).finish(),
  };
}
