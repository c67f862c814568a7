import * as zlib from 'node:zlib';

/** zstd by this Node, which has it since 22.15; undefined before. */
export const zstdCompress: ((bytes: Uint8Array) => Uint8Array<ArrayBuffer>) | undefined = find();

function find(): typeof zstdCompress {
  const candidate: unknown = Reflect.get(zlib, 'zstdCompressSync');
  return isCompressor(candidate) ? candidate : undefined;
}

function isCompressor(candidate: unknown): candidate is (bytes: Uint8Array) => Uint8Array<ArrayBuffer> {
  return typeof candidate === 'function';
}
