import { BinaryReader } from '@bufbuild/protobuf/wire';
import { invalidResponse } from './invalid-response.js';

/**
 * Walks over the fields of a message. `take` reads the field it is given, or returns false to have it skipped: newer engines may send
 * fields that we do not know.
 *
 * @throws TinkerError RESPONSE_INVALID when the bytes are no message, or `take`'s own error.
 */
export function readMessage(bytes: Uint8Array, take: (field: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  try {
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (!take(field, reader)) reader.skip(type, field);
    }
  } catch (thrown) {
    if (thrown instanceof RangeError || (thrown instanceof Error && thrown.constructor === Error)) {
      throw invalidResponse('bytes that are no protobuf message', thrown);
    }
    throw thrown;
  }
}
