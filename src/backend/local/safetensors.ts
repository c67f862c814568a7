import { RllmError } from '../../errors.js';

/** A float32 tensor by name. */
export interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

interface HeaderEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/**
 * A safetensors file: the header's length as u64, the header as JSON padded to 8 bytes, the data.
 *
 * @see https://github.com/huggingface/safetensors#format
 */
export function encodeSafetensors(
  tensors: readonly NamedTensor[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const { name, shape, data } of tensors) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + data.byteLength] };
    end += data.byteLength;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const headerLength = Math.ceil(json.length / 8) * 8;
  const file = new Uint8Array(8 + headerLength + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerLength), true);
  file.fill(0x20, 8, 8 + headerLength);
  file.set(json, 8);
  let at = 8 + headerLength;
  for (const { data } of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return file;
}

/**
 * The tensors and metadata of a safetensors file.
 *
 * @throws RllmError CHECKPOINT_INVALID when the bytes are cut short, are no safetensors file, or hold other types than float32.
 */
export function decodeSafetensors(
  file: Uint8Array,
  path: string,
): {
  readonly tensors: ReadonlyMap<string, NamedTensor>;
  readonly metadata: Readonly<Record<string, string>>;
} {
  const header = readHeader(file, path);
  const tensors = new Map<string, NamedTensor>();
  for (const [name, entry] of Object.entries(header.tensors)) {
    const [start, end] = entry.data_offsets;
    const size = entry.shape.reduce((a, b) => a * b, 1);
    const from = header.dataStart + start;
    if (entry.dtype !== 'F32' || end - start !== 4 * size || header.dataStart + end > file.length) {
      throw invalid(path, `tensor "${name}" should hold ${size} float32 values`);
    }
    tensors.set(name, {
      name,
      shape: entry.shape,
      data: floatsAt(file, from, size),
    });
  }
  return { tensors, metadata: header.metadata };
}

/** A copy, since tensors need not be aligned in the file. */
function floatsAt(file: Uint8Array, from: number, size: number): Float32Array {
  const floats = new Float32Array(size);
  new Uint8Array(floats.buffer).set(file.subarray(from, from + 4 * size));
  return floats;
}

function readHeader(
  file: Uint8Array,
  path: string,
): { tensors: Record<string, HeaderEntry>; metadata: Record<string, string>; dataStart: number } {
  if (file.length < 8) throw invalid(path, 'it is shorter than its header');
  const length = Number(new DataView(file.buffer, file.byteOffset, 8).getBigUint64(0, true));
  if (8 + length > file.length) throw invalid(path, 'it is shorter than its header');
  try {
    const { __metadata__: metadata = {}, ...tensors } = JSON.parse(
      new TextDecoder().decode(file.subarray(8, 8 + length)),
    ) as Record<string, HeaderEntry> & { __metadata__?: Record<string, string> };
    return { tensors: tensors as Record<string, HeaderEntry>, metadata, dataStart: 8 + length };
  } catch (cause) {
    throw invalid(path, 'its header is not JSON', cause);
  }
}

function invalid(path: string, what: string, cause?: unknown): RllmError {
  return new RllmError('CHECKPOINT_INVALID', `${path} is not a checkpoint of the local backend: ${what}.`, {
    cause,
  });
}
