import { expect, test } from 'vitest';
import { durationText, numberText, percentText } from '../../../src/cli/render/number-text.js';

test.each([
  [0, '0'],
  [1, '1'],
  [1234, '1234'],
  [0.3125, '0.313'],
  [-0.5, '-0.500'],
  [12.345, '12.3'],
  [123.4, '123'],
  [3.14159e-5, '3.1e-5'],
  [1.5e7, '1.5e+7'],
])('the number %d reads %s', (value, text) => {
  expect(numberText(value)).toBe(text);
});

test.each([
  [0, '0%'],
  [0.001, '1%'],
  [0.5, '50%'],
  [0.999, '99%'],
  [1, '100%'],
])('the share %d reads %s, and all and nothing are kept for all and nothing', (share, text) => {
  expect(percentText(share)).toBe(text);
});

test.each([
  [0.42, '0.4 s'],
  [9.96, '10 s'],
  [59.6, '1:00'],
  [65, '1:05'],
  [7385, '2:03:05'],
])('%d seconds read %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
