import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { WireBatch, WireDatum, WireForwardResult, WireSampleResult, WireTensor } from './wire-types.js';

type Field = readonly [field: number, value: number | bigint | Uint8Array];

/** All fields of a message, with the payload of each. */
function fieldsOf(bytes: Uint8Array): readonly Field[] {
  const reader = new BinaryReader(bytes);
  const fields: Field[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.Varint) fields.push([field, BigInt(reader.int64())]);
    else if (type === WireType.Bit64) fields.push([field, reader.double()]);
    else fields.push([field, reader.bytes()]);
  }
  return fields;
}

const bytesIn = (message: Uint8Array, wanted: number): readonly Uint8Array[] =>
  fieldsOf(message).flatMap(([field, value]) =>
    field === wanted && value instanceof Uint8Array ? [value] : [],
  );
const textIn = (message: Uint8Array, field: number): string =>
  Buffer.from(bytesIn(message, field)[0] ?? []).toString();
const numberIn = (message: Uint8Array, wanted: number): number =>
  Number(fieldsOf(message).find(([field]) => field === wanted)?.[1] ?? 0);
const copy = (bytes: Uint8Array | undefined): ArrayBuffer => new Uint8Array(bytes ?? []).buffer;

/** The engine's side of `ForwardBackwardRequest`. */
export function readBatch(message: Uint8Array): WireBatch {
  return {
    model_id: textIn(message, 1),
    seq_id: numberIn(message, 2),
    forward_only: numberIn(message, 6) === 1,
    loss_fn: textIn(message, 4),
    loss_fn_config: Object.fromEntries(
      bytesIn(message, 5).map((entry) => [textIn(entry, 1), numberIn(entry, 2)]),
    ),
    data: bytesIn(message, 3).map(readDatum),
  };
}

function readDatum(message: Uint8Array): WireDatum {
  const chunks = bytesIn(message, 1).map((chunk) => ({
    tokens: Array.from(new Int32Array(copy(bytesIn(bytesIn(chunk, 1)[0]!, 1)[0]))),
  }));
  const inputs = bytesIn(message, 2).map(
    (entry) => [textIn(entry, 1), readTensor(bytesIn(entry, 2)[0]!)] as const,
  );
  return { model_input: { chunks }, loss_fn_inputs: Object.fromEntries(inputs) };
}

function readTensor(message: Uint8Array): WireTensor {
  const raw = copy(bytesIn(message, 1)[0]);
  const shape = bytesIn(message, 4).map((packed) => Number(new BinaryReader(packed).int64()));
  return numberIn(message, 3) === 2
    ? { data: Array.from(new BigInt64Array(raw), Number), dtype: 'int64', shape }
    : { data: Array.from(new Float32Array(raw)), dtype: 'float32', shape };
}

const raw = (array: Float32Array | Int32Array | BigInt64Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** The engine's side of `ForwardBackwardOutput`: one record for all datums. */
export function writeForwardResult(result: WireForwardResult): Uint8Array {
  const { loss_fn_outputs: outputs, metrics } = result;
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(result.loss_fn_output_type);
  writer.tag(2, WireType.LengthDelimited).fork();
  for (const name of Object.keys(outputs[0] ?? {})) {
    const rows = outputs.map((output) => output[name]?.data ?? []);
    const offsets = [0n];
    for (const row of rows) offsets.push(offsets.at(-1)! + 4n * BigInt(row.length));
    writer.tag(2, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(name).tag(2, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).bytes(raw(Float32Array.from(rows.flat())));
    writer.tag(2, WireType.LengthDelimited).bytes(raw(BigInt64Array.from(offsets)));
    writer.tag(3, WireType.Varint).int32(1).join().join();
  }
  writer.tag(3, WireType.Varint).int64(outputs.length).join();
  for (const [name, value] of Object.entries(metrics)) {
    writer.tag(3, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(name).tag(2, WireType.Bit64).double(value).join();
  }
  return writer.finish();
}

/** The engine's side of `SampleResponse`. */
export function writeSampleResult(result: WireSampleResult): Uint8Array {
  const writer = new BinaryWriter();
  for (const { stop_reason, tokens, logprobs } of result.sequences) {
    writer.tag(1, WireType.LengthDelimited).fork();
    if (stop_reason === 'length') writer.tag(1, WireType.Varint).int32(1);
    writer.tag(2, WireType.LengthDelimited).bytes(raw(Int32Array.from(tokens)));
    writer
      .tag(3, WireType.LengthDelimited)
      .bytes(raw(Float32Array.from(logprobs)))
      .join();
  }
  if (result.prompt_logprobs !== null) {
    const values = Float32Array.from(result.prompt_logprobs, (value) => value ?? Number.NaN);
    writer.tag(2, WireType.LengthDelimited).bytes(raw(values));
  }
  if (result.topk_prompt_logprobs !== null) writeLikeliest(writer, result.topk_prompt_logprobs);
  return writer.finish();
}

function writeLikeliest(
  writer: BinaryWriter,
  rows: NonNullable<WireSampleResult['topk_prompt_logprobs']>,
): void {
  const k = Math.max(...rows.map((row) => row?.length ?? 0));
  const cells = rows.flatMap((row) =>
    Array.from({ length: k }, (_, i) => row?.[i] ?? ([0, -99_999] as const)),
  );
  writer.tag(3, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).bytes(raw(Int32Array.from(cells, ([token]) => token)));
  writer.tag(2, WireType.LengthDelimited).bytes(raw(Float32Array.from(cells, ([, logprob]) => logprob)));
  writer.tag(3, WireType.Varint).uint32(k).tag(4, WireType.Varint).uint32(rows.length).join();
}
