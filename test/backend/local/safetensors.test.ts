import { expect, test } from 'vitest';
import { decodeSafetensors, encodeSafetensors } from '../../../src/backend/local/safetensors.js';

const TENSORS = [
  { name: 'a', shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) },
  { name: 'b.c', shape: [1], data: Float32Array.of(-0.5) },
];

test('a file has the layout that other readers expect', () => {
  const file = encodeSafetensors(TENSORS, { format: 'x' });
  const headerLength = Number(new DataView(file.buffer).getBigUint64(0, true));
  expect(headerLength % 8).toBe(0);
  expect(JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + headerLength)))).toEqual({
    __metadata__: { format: 'x' },
    a: { dtype: 'F32', shape: [2, 3], data_offsets: [0, 24] },
    'b.c': { dtype: 'F32', shape: [1], data_offsets: [24, 28] },
  });
  expect(new DataView(file.buffer).getFloat32(8 + headerLength + 24, true)).toBe(-0.5);
});

test('what was encoded is decoded to the last bit', () => {
  const { tensors, metadata } = decodeSafetensors(encodeSafetensors(TENSORS, { k: 'v' }), 'f');
  expect([...tensors.values()]).toEqual(TENSORS);
  expect(metadata).toEqual({ k: 'v' });
});

test.each([
  ['an empty file', new Uint8Array()],
  ['a file cut within its header', encodeSafetensors(TENSORS, {}).subarray(0, 40)],
  ['a file cut within its data', encodeSafetensors(TENSORS, {}).subarray(0, -1)],
  ['text', new TextEncoder().encode('{"weights": "none of this is binary"}')],
])('%s is refused', (_, file) => {
  expect(() => decodeSafetensors(file, 'some/file')).toThrow(
    expect.objectContaining({ code: 'CHECKPOINT_INVALID' }),
  );
});
