import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readNumber } from '../src/index.js';

test.each([
  ['1,234.5', 2469n, 2n],
  ['-2/6', -1n, 3n],
  [String.raw`1\frac{1}{2}`, 3n, 2n],
  ['1e-2', 1n, 100n],
  ['0', 0n, 1n],
])('%s is %s/%s', (text, numerator, denominator) => {
  expect(readNumber(text)).toEqual({ numerator, denominator, isPercent: false });
});

test.each(['', '.', '-', 'x', '1/0', '1,23', '1..2', '1e9999', '1/2/3', String.raw`\frac{1}{x}`])(
  '"%s" is no number',
  (text) => {
    expect(readNumber(text)).toBeUndefined();
  },
);

test('any decimal, fraction and thousand is read exactly', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 1_000_000 }), (a, b) => {
      const fraction = readNumber(`${a}/${b}`);
      expect(Number(fraction?.numerator) * b).toBe(a * Number(fraction?.denominator));
      expect(readNumber(a.toLocaleString('en-US'))).toEqual(readNumber(String(a)));
      expect(readNumber((a / 8).toFixed(3))).toEqual(readNumber(`${a}/8`));
    }),
  );
});
