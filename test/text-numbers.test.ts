import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextNumbers } from '../src/text-numbers.js';

/** The definition: a `Map` that gives each new text the next number. */
function numbered(texts: readonly string[]): number[] {
  const numbers = new Map<string, number>();
  return texts.map((text) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  });
}

test('texts are numbered in the order in which they first come', () => {
  const numbers = new TextNumbers();
  expect(['b', 'a', 'b', '', 'a\0', 'a', ''].map((text) => numbers.numberOf(text))).toEqual([
    0, 1, 0, 2, 3, 1, 2,
  ]);
  expect(numbers.size).toBe(4);
});

test('any texts get the numbers that a map would give them', () => {
  const texts = fc.array(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('a', 'b')));
  fc.assert(
    fc.property(texts, (own) => {
      const numbers = new TextNumbers();
      expect(own.map((text) => numbers.numberOf(text))).toEqual(numbered(own));
    }),
  );
});

// So many that about ten pairs of them have the same 32-bit hash.
test('300,000 different texts keep their numbers', () => {
  const texts = Array.from({ length: 300_000 }, (_, i) => `task-${i}`);
  const numbers = new TextNumbers();
  const first = texts.findIndex((text, i) => numbers.numberOf(text) !== i);
  const again = texts.findIndex((text, i) => numbers.numberOf(text) !== i);
  expect([first, again, numbers.size]).toEqual([-1, -1, 300_000]);
});
