import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Datum, LossInput } from '../types/datum.js';
import type { Tokens } from '../types/tokens.js';
import { type EncodedBatch, type ForwardBatch, TOKEN_INPUT } from './forward-batch.js';
import { DType } from './protobuf-dtype.js';

/**
 * `tinker_public.ForwardBackwardRequest`, the only form that the hosted service's SDK sends since 0.22.3. Tensors are raw little-endian
 * bytes, so that this is mostly copying.
 */
export function encodeProtobufBatch(
  batch: ForwardBatch,
  compress?: (bytes: Uint8Array) => Uint8Array<ArrayBuffer>,
): EncodedBatch {
  const writer = new BinaryWriter();
  for (const datum of batch.data) {
    writer.tag(3, WireType.LengthDelimited).fork();
    writeDatum(writer, datum);
    writer.join();
  }
  writer.tag(4, WireType.LengthDelimited).string(batch.lossFn);
  for (const [key, value] of Object.entries(batch.lossConfig ?? {})) {
    writer.tag(5, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key).tag(2, WireType.Bit64).double(value);
    writer.join();
    // The newer form, which also allows texts: the SDK sends both since 0.38.
    writer.tag(7, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key).tag(2, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Bit64).double(value).join().join();
  }
  if (!batch.withGradient) writer.tag(6, WireType.Varint).bool(true);
  return (modelId, seqId) => {
    // Fields may stand in any order; these two are known last.
    writer.tag(1, WireType.LengthDelimited).string(modelId).tag(2, WireType.Varint).int32(seqId);
    const body = writer.finish();
    return {
      method: 'POST',
      path: '/forward_backward',
      headers: {
        'content-type': 'application/x-protobuf',
        ...(compress === undefined ? {} : { 'content-encoding': 'zstd' }),
      },
      body: compress?.(body) ?? body,
    };
  };
}

function writeDatum(writer: BinaryWriter, { modelInput, lossInputs }: Datum): void {
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).bytes(int32Bytes(modelInput));
  writer.join().join();
  for (const [name, values] of Object.entries(lossInputs)) {
    writer.tag(2, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(name);
    writer.tag(2, WireType.LengthDelimited).fork();
    writeTensor(writer, name, values);
    writer.join().join();
  }
}

function writeTensor(writer: BinaryWriter, name: string, values: LossInput): void {
  const isTokens = name === TOKEN_INPUT;
  writer.tag(1, WireType.LengthDelimited).bytes(isTokens ? int64Bytes(values) : float32Bytes(values));
  writer.tag(3, WireType.Varint).int32(isTokens ? DType.INT64 : DType.FLOAT32);
  writer.tag(4, WireType.LengthDelimited).fork().int64(values.length).join();
}

function int32Bytes(tokens: Tokens): Uint8Array {
  const array = tokens instanceof Int32Array ? tokens : Int32Array.from(tokens);
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Token ids fit the low half, and are never negative. */
function int64Bytes(tokens: ArrayLike<number>): Uint8Array {
  const halves = new Int32Array(2 * tokens.length);
  for (let i = 0; i < tokens.length; i++) halves[2 * i] = tokens[i]!;
  return new Uint8Array(halves.buffer);
}

function float32Bytes(values: LossInput): Uint8Array {
  const array = values instanceof Float32Array ? values : Float32Array.from(values);
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
