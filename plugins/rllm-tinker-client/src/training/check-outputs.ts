import type { Datum } from '../types/datum.js';
import type { ForwardResult } from '../types/forward-result.js';
import { invalidResponse } from '../wire/invalid-response.js';

/** The result itself. @throws TinkerError RESPONSE_INVALID unless there is one output per datum and one log-prob per position. */
export function checkOutputs(result: ForwardResult, data: readonly Datum[]): ForwardResult {
  const { outputs } = result;
  if (outputs.length !== data.length) {
    throw invalidResponse(`${outputs.length} outputs for ${data.length} datums`);
  }
  outputs.forEach(({ logprobs }, i) => {
    const expected = data[i]!.modelInput.length;
    if (logprobs.length === expected) return;
    throw invalidResponse(`${logprobs.length} logprobs for the ${expected} positions of datum ${i}`);
  });
  return result;
}
