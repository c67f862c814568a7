import { expect, test } from 'vitest';
import { PLAIN_PAINT } from '../../../src/cli/paint.js';
import { brokenName } from '../../../src/cli/render/broken-name.js';
import { compareTable } from '../../../src/cli/render/compare-table.js';

const NAMES = [{ heading: 'GROUP', cells: ['a', ''] }];
const NUMBERS = [
  { heading: 'grpo', cells: ['1', '-0.577'] },
  { heading: 'reinforce_plus_plus_baseline', cells: ['2.121', '-1'] },
  { heading: 'rloo', cells: ['1', '0'] },
];

test('numbers stand right under a heading that is broken at its joints', () => {
  expect(compareTable(NAMES, NUMBERS, { columns: 80, paint: PLAIN_PAINT })).toEqual([
    '               reinforce_',
    '               plus_plus_',
    'GROUP    grpo    baseline  rloo',
    'a           1       2.121     1',
    '       -0.577          -1     0',
  ]);
});

test('what is too wide for the terminal goes into a block of its own, with the names of the rows', () => {
  const lines = compareTable(NAMES, NUMBERS, { columns: 20, paint: PLAIN_PAINT });
  expect(lines.filter((line) => line.startsWith('GROUP'))).toEqual([
    'GROUP    grpo',
    'GROUP    baseline',
    'GROUP  rloo',
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(20);
});

test('a column wider than the terminal is still shown', () => {
  const wide = [{ heading: 'x', cells: ['1234567890'] }];
  expect(compareTable([{ heading: 'G', cells: ['a'] }], wide, { columns: 5, paint: PLAIN_PAINT })).toEqual([
    'G           x',
    'a  1234567890',
  ]);
});

test.each([
  ['grpo', ['grpo']],
  ['reinforce_plus_plus', ['reinforce_', 'plus_plus']],
  ['grpo_scaled:scale=batch,ddof=1', ['grpo_scaled:', 'scale=batch,', 'ddof=1']],
  ['averyverylongnamewithoutjoints', ['averyverylongnamewithoutjoints']],
])('the name %s is broken at its joints', (name, lines) => {
  expect(brokenName(name, 14)).toEqual(lines);
});
