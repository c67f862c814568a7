import * as z from 'zod';
import type { FloatArray } from '../types/float-array.js';
import type { ForwardResult, LossOutput } from '../types/forward-result.js';
import { type ArrayRange, hoistArrays } from './hoist-arrays.js';
import { invalidResponse } from './invalid-response.js';
import { readFloats } from './read-floats.js';

const FRAME = z.object({
  loss_fn_outputs: z.array(z.record(z.string(), z.unknown())),
  metrics: z.record(z.string(), z.number().nullable()).nullish(),
});

/** The bytes of a result, with the places of its arrays. */
interface Source {
  readonly bytes: Uint8Array;
  readonly ranges: readonly ArrayRange[];
}

/** @throws TinkerError RESPONSE_INVALID */
export function decodeJsonForwardResult(bytes: Uint8Array): ForwardResult {
  const { body, ranges } = parse(bytes);
  const frame = FRAME.safeParse(body);
  if (!frame.success) throw invalidResponse('a result of forward without loss_fn_outputs', frame.error);
  return {
    outputs: frame.data.loss_fn_outputs.map((fields, i) => lossOutput(fields, i, { bytes, ranges })),
    metrics: numbersOf(frame.data.metrics),
  };
}

function parse(bytes: Uint8Array): ReturnType<typeof hoistArrays> {
  try {
    return hoistArrays(bytes);
  } catch (thrown) {
    throw invalidResponse('a result of forward that is no JSON', thrown);
  }
}

function lossOutput(fields: Readonly<Record<string, unknown>>, index: number, source: Source): LossOutput {
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

function readTensor(tensor: unknown, what: string, { bytes, ranges }: Source): FloatArray {
  const { data, dtype } = (tensor ?? {}) as { readonly data?: unknown; readonly dtype?: unknown };
  const range = typeof data === 'number' ? ranges[data] : undefined;
  if (range === undefined) throw invalidResponse(`${what} is missing`);
  const single = dtype === 'float32' ? readFloats(bytes, range.from, range.to) : undefined;
  return single ?? readDoubles(Buffer.from(bytes.subarray(range.from, range.to)).toString(), what);
}

/** The slow way: exact doubles, and an error that names what is no number. */
function readDoubles(text: string, what: string): Float64Array {
  let data: readonly unknown[];
  try {
    data = JSON.parse(`[${text}]`) as readonly unknown[];
  } catch (thrown) {
    throw invalidResponse(`${what} is no list of numbers`, thrown);
  }
  return Float64Array.from(data, (value, i) => {
    if (typeof value === 'number') return value;
    throw invalidResponse(`${what} has ${JSON.stringify(value)} at position ${i}`);
  });
}

/** Metrics without those that the engine could not compute. */
export function numbersOf(
  metrics: Readonly<Record<string, number | null>> | null | undefined,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(metrics ?? {}).filter((entry): entry is [string, number] => entry[1] !== null),
  );
}
