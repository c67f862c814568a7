import { crc32c } from '@aws-crypto/crc32c';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeEvent } from '../src/encode-event.js';
import { frameRecord, maskedChecksum } from '../src/frame-record.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('the frame', () => {
  test('its checksum is CRC-32C: the check value of "123456789" is e3069283', () => {
    expect(crc32c(bytesOf('123456789')).toString(16)).toBe('e3069283');
  });

  test('it is masked: e3069283 turned right by 15 is 2507c60d, plus a282ead8', () => {
    expect((0xe3069283 >>> 15) | (0xe3069283 << 17)).toBe(0x2507c60d);
    expect(maskedChecksum(bytesOf('123456789'))).toBe(0x2507c60d + 0xa282ead8);
  });

  test('length, its checksum, payload, its checksum, in this order and little-endian', () => {
    const record = frameRecord(bytesOf('123456789'));
    const length = Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0);
    const view = new DataView(record.buffer);
    expect(record.length).toBe(9 + 16);
    expect(record.subarray(0, 8)).toEqual(length);
    expect(view.getUint32(8, true)).toBe(maskedChecksum(length));
    expect(record.subarray(12, 21)).toEqual(bytesOf('123456789'));
    expect(view.getUint32(21, true)).toBe(0xc78ab0e5);
  });

  test('a record of any length is 16 bytes longer, and its parts can be told apart', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (payload) => {
        const record = frameRecord(payload);
        const view = new DataView(record.buffer);
        const length = Number(view.getBigUint64(0, true));
        expect(length).toBe(payload.length);
        expect(record.length).toBe(length + 16);
        expect(record.subarray(12, 12 + length)).toEqual(payload);
      }),
    );
  });
});

describe('an event, by hand', () => {
  test('the version: time 1.5 s, step 0, field 3', () => {
    const expected = `09${'000000000000f83f'}10001a0d${hex(bytesOf('brain.Event:2'))}`;
    expect(hex(encodeEvent(1500, 0, { kind: 'version' }))).toBe(expected);
  });

  test('a scalar: summary { value { tag: "a", simple_value: 0.5 } } at step 300', () => {
    const value = `0a0161${'15'}0000003f`;
    const expected = `09${'000000000000f83f'}10ac022a0a0a08${value}`;
    expect(hex(encodeEvent(1500, 300, { kind: 'scalars', values: { a: 0.5 } }))).toBe(expected);
  });

  test('a start of a session: session_log { status: START }', () => {
    const expected = `09${'000000000000f83f'}10073a020801`;
    expect(hex(encodeEvent(1500, 7, { kind: 'sessionStart' }))).toBe(expected);
  });

  test('a number beyond float32 is infinite, and no error', () => {
    const event = encodeEvent(0, 0, { kind: 'scalars', values: { a: -1e300 } });
    expect(new DataView(event.buffer, event.byteOffset + event.length - 4).getFloat32(0, true)).toBe(
      Number.NEGATIVE_INFINITY,
    );
  });

  test('fields are read back by a reader of protobuf', () => {
    const reader = new BinaryReader(encodeEvent(2500, 12, { kind: 'text', tag: 'status', text: 'größe' }));
    const numbers: number[] = [];
    while (reader.pos < reader.len) {
      const [number, type] = reader.tag();
      numbers.push(number);
      reader.skip(type, number);
    }
    expect(numbers).toEqual([1, 2, 5]);
  });
});
