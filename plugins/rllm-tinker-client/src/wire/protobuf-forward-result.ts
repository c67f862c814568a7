import type { FloatArray } from '../types/float-array.js';
import type { ForwardResult, LossOutput } from '../types/forward-result.js';
import { invalidResponse } from './invalid-response.js';
import { DType } from './protobuf-dtype.js';
import { readMessage } from './read-message.js';

/** Rows of one field of all datums of a record, end to end. */
interface Batched {
  readonly data: Uint8Array;
  /** Byte offsets into `data`, one more than there are datums. */
  readonly offsets: Uint8Array;
  readonly dtype: number;
}

/** `tinker_public.ForwardBackwardOutput`. @throws TinkerError RESPONSE_INVALID */
export function decodeProtobufForwardResult(bytes: Uint8Array): ForwardResult {
  const outputs: LossOutput[] = [];
  const metrics: Record<string, number> = {};
  readMessage(bytes, (field, reader) => {
    if (field === 2) outputs.push(...readRecord(reader.bytes()));
    else if (field === 3) {
      const [name, value] = readMetric(reader.bytes());
      metrics[name] = value;
    } else return false;
    return true;
  });
  return { outputs, metrics };
}

function readMetric(bytes: Uint8Array): readonly [string, number] {
  let name = '';
  let value = 0;
  readMessage(bytes, (field, reader) => {
    if (field === 1) name = reader.string();
    else if (field === 2) value = reader.double();
    else return false;
    return true;
  });
  return [name, value];
}

/** `ArrayRecord`: datums that have the same fields. */
function readRecord(bytes: Uint8Array): readonly LossOutput[] {
  const fields = new Map<string, Batched>();
  let count = 0;
  readMessage(bytes, (field, reader) => {
    if (field === 2) {
      const [name, batched] = readField(reader.bytes());
      fields.set(name, batched);
    } else if (field === 3) count = Number(reader.int64());
    else return false;
    return true;
  });
  const logprobs = rowsOf(fields.get('logprobs'), count);
  if (logprobs === undefined) throw invalidResponse('a result of forward without logprobs');
  const losses = rowsOf(fields.get('elementwise_loss'), count);
  return logprobs.map((row, i) => {
    const elementwiseLoss = losses?.[i];
    return elementwiseLoss === undefined ? { logprobs: row } : { logprobs: row, elementwiseLoss };
  });
}

function readField(bytes: Uint8Array): readonly [string, Batched] {
  let name = '';
  let batched: Batched = { data: new Uint8Array(), offsets: new Uint8Array(), dtype: 0 };
  readMessage(bytes, (field, reader) => {
    if (field === 1) name = reader.string();
    else if (field === 2) batched = readBatched(reader.bytes());
    else return false;
    return true;
  });
  return [name, batched];
}

function readBatched(bytes: Uint8Array): Batched {
  let data = new Uint8Array();
  let offsets = new Uint8Array();
  let dtype = 0;
  readMessage(bytes, (field, reader) => {
    if (field === 1) data = new Uint8Array(reader.bytes());
    else if (field === 2) offsets = new Uint8Array(reader.bytes());
    else if (field === 3) dtype = reader.int32();
    else return false;
    return true;
  });
  return { data, offsets, dtype };
}

/** One row of numbers per datum; undefined when the field is not there. */
function rowsOf(batched: Batched | undefined, count: number): readonly FloatArray[] | undefined {
  if (batched === undefined) return undefined;
  const { data, offsets, dtype } = batched;
  if (offsets.length !== 8 * (count + 1)) {
    throw invalidResponse(`${offsets.length / 8} offsets for ${count} datums`);
  }
  const numbers = numbersOf(data, dtype);
  const width = dtype === DType.BFLOAT16 ? 2 : 4;
  const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength);
  const bounds = Array.from({ length: count + 1 }, (_, i) => Number(view.getBigInt64(8 * i, true)) / width);
  return Array.from({ length: count }, (_, i) => {
    const [from, to] = [bounds[i]!, bounds[i + 1]!];
    if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || from > to || to > numbers.length) {
      throw invalidResponse(`row ${i} from number ${from} to ${to} of ${numbers.length}`);
    }
    return numbers.subarray(from, to);
  });
}

function numbersOf(data: Uint8Array, dtype: number): Float32Array {
  if (dtype === DType.FLOAT32 && data.length % 4 === 0) {
    return new Float32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
  }
  if (dtype === DType.BFLOAT16 && data.length % 2 === 0) {
    // The upper half of a float32.
    const bits = new Uint32Array(data.length / 2);
    for (let i = 0; i < bits.length; i++) bits[i] = ((data[2 * i]! | (data[2 * i + 1]! << 8)) << 16) >>> 0;
    return new Float32Array(bits.buffer);
  }
  throw invalidResponse(`numbers of dtype ${dtype} in ${data.length} bytes`);
}
