import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { painter } from '../../../src/cli/paint.js';
import { progressLine } from '../../../src/cli/render/progress-line.js';

const progress = {
  label: 'step 120/480',
  share: 0.25,
  reward: 'reward 0.625',
  win: 'win 62%',
  validation: 'pass@1 71%',
  secondsLeft: 63,
  mayStopEarly: false,
};
const plain = { columns: 80, unicode: false, paint: painter(false) };

test('at 80 columns everything is there', () => {
  expect(progressLine(progress, plain)).toBe(
    'step 120/480  ####----------  25%  reward 0.625  win 62%  pass@1 71%  eta  1:03',
  );
});

test('on a narrow terminal the least needed goes first', () => {
  const at = (columns: number): string => progressLine(progress, { ...plain, columns });
  expect(at(59)).toBe('step 120/480  reward 0.625  win 62%  pass@1 71%  eta  1:03');
  expect(at(47)).toBe('step 120/480  reward 0.625  win 62%  eta  1:03');
  expect(at(36)).toBe('step 120/480  reward 0.625  win 62%');
  expect(at(27)).toBe('step 120/480  reward 0.625');
  expect(at(13)).toBe('step 120/480');
  expect(at(5)).toBe('step');
});

test('the time left is a bound where the run may stop early', () => {
  expect(progressLine({ ...progress, mayStopEarly: true }, plain)).toContain('eta < 1:03');
});

test('the line never reaches the last column, in colour or not', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (columns, share) => {
        const line = progressLine({ ...progress, share }, { columns, unicode: true, paint: painter(true) });
        expect(stripVTControlCharacters(line).length).toBeLessThan(columns);
      },
    ),
  );
});
