import { describe, expect, test } from 'vitest';
import { boxedAnswers, canonicalAnswer, extractAnswer, extractReference, sameAnswer } from '../src/index.js';

describe('boxes', () => {
  test.each([
    { text: String.raw`So \boxed{42}.`, expected: ['42'] },
    {
      text: String.raw`\boxed{\frac{1}{2}} and \boxed{ x^{2} }`,
      expected: [String.raw`\frac{1}{2}`, 'x^{2}'],
    },
    { text: String.raw`\boxed{a\}b}`, expected: [String.raw`a\}b`] },
    { text: String.raw`\fbox{7} \boxed 5`, expected: ['7', '5'] },
    { text: String.raw`\boxed{}`, expected: [''] },
    { text: String.raw`cut off: \boxed{\frac{1}{2}`, expected: [] },
    { text: 'none', expected: [] },
  ])('$text', ({ text, expected }) => {
    expect(boxedAnswers(text)).toEqual(expected);
  });
});

describe('the answer of a reply', () => {
  test.each([
    { what: 'the last box', text: String.raw`\boxed{1}, no: \boxed{2}. 3 steps.`, expected: '2' },
    { what: 'an empty box is no answer', text: String.raw`12, so \boxed{}`, expected: undefined },
    {
      what: 'after the mark of GSM8K',
      text: 'She has 5.\n#### 1,250\nThat took 3 lines.',
      expected: '1,250',
    },
    { what: 'the last number', text: 'First 3, then 4. It is 12.', expected: '12' },
    {
      what: 'with its sign and its thousands',
      text: 'The change is -1,234.50 dollars.',
      expected: '-1,234.50',
    },
    { what: 'a fraction whole', text: 'the odds are 3/4', expected: '3/4' },
    {
      what: 'a fraction of LaTeX whole',
      text: String.raw`it is $\frac{3}{4}$`,
      expected: String.raw`\frac{3}{4}`,
    },
    { what: 'a percentage', text: 'a rise of 25%', expected: '25%' },
    { what: 'a difference is no sign', text: '10-4', expected: '4' },
    { what: 'without a number there is none', text: 'I do not know.', expected: undefined },
  ])('$what', ({ text, expected }) => {
    expect(extractAnswer(text)).toBe(expected);
  });
});

test.each([
  { row: 'Natalia sold 48/2 = <<48/2=24>>24 clips.\n#### 72', expected: '72' },
  { row: String.raw`Then $x = \boxed{\frac{1}{2}}$.`, expected: String.raw`\frac{1}{2}` },
  { row: ' 42 ', expected: '42' },
])('the answer of the row $row', ({ row, expected }) => {
  expect(extractReference(row)).toBe(expected);
});

/** What means the same, both ways. */
const SAME: readonly (readonly [string, string])[] = [
  ['42', '42.0'],
  ['42.', '42'],
  ['007', '7'],
  ['+3', '3'],
  ['−3', '-3'],
  ['1,234,567', '1234567'],
  ['1{,}234', '1234'],
  ['10 000', '10000'],
  ['.5', '0.5'],
  ['1/2', '0.5'],
  ['2/4', '1/2'],
  ['-1/2', String.raw`-\frac{1}{2}`],
  ['1/2', String.raw`\dfrac{1}{2}`],
  ['1/2', String.raw`\frac12`],
  [String.raw`\frac{-1}{2}`, '-0.5'],
  ['1 1/2', '3/2'],
  [String.raw`1\frac{1}{2}`, '1.5'],
  ['1.5e3', '1500'],
  [String.raw`1.5 \times 10^{3}`, '1500'],
  [String.raw`2 \cdot 10^2`, '200'],
  ['0.1', '1/10'],
  ['50%', '50'],
  ['50%', '0.5'],
  [String.raw`50\%`, '1/2'],
  ['50%', '50.0%'],
  ['$18', '18'],
  [String.raw`\$18.00`, '18'],
  ['18 dollars', '18'],
  [String.raw`5\,\text{cm}`, '5'],
  [String.raw`5 \text{ square feet}`, '5'],
  ['60 km/h', '60'],
  ['3 m^2', '3'],
  [String.raw`90^\circ`, '90'],
  [String.raw`90^{\circ}`, '90°'],
  ['x = 5', '5'],
  ['$x=5$', '5'],
  [String.raw`\left( 1, 2 \right)`, '(1,2)'],
  [String.raw`\sqrt2`, String.raw`\sqrt{2}`],
  [String.raw`\text{Evelyn}`, 'Evelyn'],
  ['3 - 2 x', '3-2x'],
  [String.raw`\( x^2 \)`, 'x^2'],
  ['123456789012345678901234567890', '123456789012345678901234567890.0'],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ['42', '43'],
  ['1/3', '0.333'],
  ['1,23', '123'],
  ['5x', '5'],
  ['5 x', '5'],
  ['50%', '5'],
  ['50%', '0.5%'],
  ['10 and 5', '10'],
  ['2x + 3', '3'],
  ['evelyn', 'Evelyn'],
  ['(1,2)', '(2,1)'],
  ['1/0', '0'],
  ['', '0'],
  ['123456789012345678901234567890', '123456789012345678901234567891'],
];

test.each(SAME)('%s is %s', (a, b) => {
  expect(sameAnswer(a, b)).toBe(true);
  expect(sameAnswer(b, a)).toBe(true);
});

test.each(DIFFERENT)('%s is not %s', (a, b) => {
  expect(sameAnswer(a, b)).toBe(false);
  expect(sameAnswer(b, a)).toBe(false);
});

test.each([
  ['3.1416', '3.14', 0.001, true],
  ['3.1416', '3.14', 0.0001, false],
  ['1001', '1000', 0.001, true],
  ['0.0011', '0.001', 0.001, true],
  ['1.001e400', '1e400', 0.01, true],
  ['1.1e400', '1e400', 0.01, false],
  ['101%', '1', 0.02, true],
])('%s is %s up to %d: %s', (given, right, tolerance, expected) => {
  expect(sameAnswer(given, right, tolerance)).toBe(expected);
});

test('a canonical answer is its own canonical answer', () => {
  for (const [a, b] of [...SAME, ...DIFFERENT]) {
    for (const answer of [a, b])
      expect(canonicalAnswer(canonicalAnswer(answer))).toBe(canonicalAnswer(answer));
  }
});

test('a long reply that almost matches a rule is read at once', () => {
  const long = `5 ${'a'.repeat(50_000)}!`;
  expect(canonicalAnswer(long)).toBe(long);
  expect(extractAnswer('1,'.repeat(50_000))).toBe('1');
});
