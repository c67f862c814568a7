import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText } from '../src/index.js';

describe('equal states', () => {
  test.each([
    {
      what: 'keys in any order, at every depth',
      a: { x: 1, y: { a: [1], b: 2 } },
      b: { y: { b: 2, a: [1] }, x: 1 },
    },
    { what: '0 and −0', a: [0], b: [-0] },
    { what: 'an absent key and one that is undefined', a: { x: 1 }, b: { x: 1, y: undefined } },
    { what: 'a hole of a list and null', a: [undefined], b: [null] },
    { what: 'NaN and NaN', a: { x: Number.NaN }, b: { x: Number.NaN } },
    { what: 'a typed array and its numbers', a: new Float32Array([1, 2]), b: [1, 2] },
    { what: 'a date and its text', a: new Date(0), b: '1970-01-01T00:00:00.000Z' },
    { what: '1 and 1.0 of parsed JSON', a: JSON.parse('[1.0]'), b: [1] },
  ])('$what', ({ a, b }) => {
    expect(canonicalText(a)).toBe(canonicalText(b));
  });
});

describe('different states', () => {
  test.each([
    { what: 'a number and its text', a: 1, b: '1' },
    { what: 'lists in another order', a: [1, 2], b: [2, 1] },
    { what: 'NaN, null and its text', a: Number.NaN, b: null },
    { what: 'infinities', a: Number.POSITIVE_INFINITY, b: Number.NEGATIVE_INFINITY },
    { what: 'an infinity and null', a: [Number.POSITIVE_INFINITY], b: [null] },
    { what: 'a bigint and the number', a: 1n, b: 1 },
    { what: 'what a joined text would confuse', a: { a: '1,"b":2' }, b: { a: '1', b: 2 } },
    { what: 'an empty list and an empty object', a: [], b: {} },
  ])('$what', ({ a, b }) => {
    expect(canonicalText(a)).not.toBe(canonicalText(b));
  });
});

test('ignored keys do not count, at any depth, and others do', () => {
  const ignored = new Set(['at']);
  const a = { at: 1, room: { at: 2, door: 'open' }, log: [{ at: 3 }] };
  const b = { room: { door: 'open', at: 'never' }, log: [{}] };
  expect(canonicalText(a, ignored)).toBe(canonicalText(b, ignored));
  expect(canonicalText(a, ignored)).not.toBe(canonicalText({ ...b, room: { door: 'shut' } }, ignored));
});

test.each([new Map([[1, 2]]), new Set([1]), new (class Board {})()])(
  'what is no plain data is refused: all of its kind would be one state (%s)',
  (value) => {
    expect(() => canonicalText({ state: value })).toThrow(TypeError);
  },
);

test('data that refers to itself is refused', () => {
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  expect(() => canonicalText(loop)).toThrow('refers to itself');
});

test('JSON is equal exactly when its data is, and is the same after a round trip', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const copy: unknown = JSON.parse(JSON.stringify(a));
      expect(canonicalText(copy)).toBe(canonicalText(a));
      expect(JSON.parse(canonicalText(a))).toEqual(copy);
      expect(canonicalText(a) === canonicalText(b)).toBe(sorted(a) === sorted(b));
    }),
  );
});

/** JSON with sorted keys, by a replacer. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}
