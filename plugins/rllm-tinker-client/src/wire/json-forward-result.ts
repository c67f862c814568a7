import * as z from 'zod';
import type { FloatArray } from '../types/float-array.js';
import type { ForwardResult, LossOutput } from '../types/forward-result.js';
import type { HoistedJson } from './hoist-arrays.js';
import { invalidResponse } from './invalid-response.js';
import { numbersAt } from './numbers-at.js';
import { readFloats } from './read-floats.js';

const FRAME = z.object({
  loss_fn_outputs: z.array(z.record(z.string(), z.unknown())),
  metrics: z.record(z.string(), z.number().nullable()).nullish(),
});

/** @throws TinkerError RESPONSE_INVALID */
export function decodeJsonForwardResult(result: HoistedJson): ForwardResult {
  const frame = FRAME.safeParse(result.body);
  if (!frame.success) throw invalidResponse('a result of forward without loss_fn_outputs', frame.error);
  return {
    outputs: frame.data.loss_fn_outputs.map((fields, i) => lossOutput(fields, i, result)),
    metrics: numbersOf(frame.data.metrics),
  };
}

function lossOutput(
  fields: Readonly<Record<string, unknown>>,
  index: number,
  source: HoistedJson,
): LossOutput {
  const logprobs = readTensor(fields['logprobs'], `logprobs of datum ${index}`, source);
  const loss = fields['elementwise_loss'];
  if (loss === undefined || loss === null) return { logprobs };
  let read: FloatArray | undefined;
  return {
    logprobs,
    // Few need it, and reading it would take as long as the log-probs.
    get elementwiseLoss() {
      read ??= readTensor(loss, `elementwise_loss of datum ${index}`, source);
      return read;
    },
  };
}

function readTensor(tensor: unknown, what: string, { bytes, ranges }: HoistedJson): FloatArray {
  const { data, dtype } = (tensor ?? {}) as { readonly data?: unknown; readonly dtype?: unknown };
  const range = typeof data === 'number' ? ranges[data] : undefined;
  if (range === undefined) throw invalidResponse(`${what} is missing`);
  const single = dtype === 'float32' ? readFloats(bytes, range.from, range.to) : undefined;
  return single ?? new Float64Array(numbersAt(bytes, range, what));
}

/** Metrics without those that the engine could not compute. */
export function numbersOf(
  metrics: Readonly<Record<string, number | null>> | null | undefined,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(metrics ?? {}).filter((entry): entry is [string, number] => entry[1] !== null),
  );
}
