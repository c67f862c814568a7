import type { HttpAnswer } from '../transport/http-answer.js';
import type { ForwardResult } from '../types/forward-result.js';
import type { EncodedBatch, ForwardBatch } from './forward-batch.js';
import { encodeJsonBatch } from './json-forward-request.js';
import { decodeJsonForwardResult } from './json-forward-result.js';
import { encodeProtobufBatch } from './protobuf-forward-request.js';
import { decodeProtobufForwardResult } from './protobuf-forward-result.js';
import { zstdCompress } from './zstd.js';

/** @param compress  whether a protobuf body is compressed by zstd, where this Node can */
export function encodeBatch(wire: 'json' | 'protobuf', compress: boolean, batch: ForwardBatch): EncodedBatch {
  return wire === 'json'
    ? encodeJsonBatch(batch)
    : encodeProtobufBatch(batch, compress ? zstdCompress : undefined);
}

/** In whichever form the engine chose. */
export function decodeForwardResult(answer: HttpAnswer): ForwardResult {
  return answer.isProtobuf
    ? decodeProtobufForwardResult(answer.bytes)
    : decodeJsonForwardResult(answer.hoisted());
}
