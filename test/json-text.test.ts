import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText } from '../src/json-text.js';

test('is what JSON.stringify gives, beside what it cannot write too', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonText(value, 2)).toBe(JSON.stringify(value, null, 2));
      expect(jsonText({ value, big: 1n })).toBe(JSON.stringify({ value, big: '1' }));
    }),
  );
});

test('a bigint is its digits, and an object within itself says so; one that only comes twice is written twice', () => {
  const twice = { a: 1 };
  const round: Record<string, unknown> = { twice, again: [twice], big: 2n ** 64n };
  round['self'] = { list: [round] };
  expect(JSON.parse(jsonText(round))).toEqual({
    twice: { a: 1 },
    again: [{ a: 1 }],
    big: '18446744073709551616',
    self: { list: ['[circular]'] },
  });
});

test('what a toJSON throws is not hidden', () => {
  const value = {
    toJSON: () => {
      throw new RangeError('mine');
    },
  };
  expect(() => jsonText(value)).toThrow(RangeError);
});
