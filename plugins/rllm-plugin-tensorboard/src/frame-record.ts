import { crc32c } from '@aws-crypto/crc32c';

/**
 * A payload as one record of a TFRecord file: its length as a 64-bit integer, the masked checksum of the length, the payload, its
 * masked checksum; all little-endian.
 *
 * @returns payload.length + 16 bytes.
 * @see https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/lib/io/record_writer.h
 */
export function frameRecord(payload: Uint8Array): Uint8Array {
  const record = new Uint8Array(payload.length + 16);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(payload.length), true);
  view.setUint32(8, maskedChecksum(record.subarray(0, 8)), true);
  record.set(payload, 12);
  view.setUint32(12 + payload.length, maskedChecksum(payload), true);
  return record;
}

/** CRC-32C, turned right by 15 bits plus a constant, since a checksum of data that holds checksums is weak. */
export function maskedChecksum(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
