import { expect, test } from 'vitest';
import { deviationOf, isUniform, meanOf } from '../src/statistics.js';

test('a mean over many values keeps its digits, where a plain sum drifts', () => {
  const values = new Float64Array(100_000).fill(1e6 + 0.1);
  const drifted = values.reduce((total, value) => total + value, 0) / values.length;
  expect(drifted).not.toBe(1e6 + 0.1);
  expect(meanOf([values])).toBe(1e6 + 0.1);
});

test('groups count by their sizes', () => {
  expect(meanOf([[1], [4, 4, 4]])).toBe(3.25);
  expect(deviationOf([[1], [4, 4, 4]], 3.25, 0)).toBeCloseTo(Math.sqrt(27 / 16), 15);
  expect(deviationOf([[1], [4, 4, 4]], 3.25, 1)).toBeCloseTo(1.5, 15);
});

test.each([1e-200, 1, 1e200])('squares neither vanish nor overflow at %d', (unit) => {
  expect(deviationOf([[3 * unit, -4 * unit]], 0, 0) / unit).toBeCloseTo(Math.sqrt(12.5), 14);
});

test('zeros deviate by 0', () => {
  expect(deviationOf([[0, 0], [0]], 0, 1)).toBe(0);
});

test.each([
  { groups: [], uniform: true },
  { groups: [[], [2]], uniform: true },
  { groups: [[0, -0], [0]], uniform: true },
  { groups: [[2], [2, 3]], uniform: false },
])('$groups uniform: $uniform', ({ groups, uniform }) => {
  expect(isUniform(groups)).toBe(uniform);
});

test('a sum beyond float64 has a mean, and a deviation from it', () => {
  const mean = meanOf([[1.5e308, 1.5e308], [0]]);
  expect(mean / 1e308).toBeCloseTo(1, 12);
  expect(deviationOf([[1.5e308, 1.5e308], [0]], mean, 0) / 1e308).toBeCloseTo(Math.SQRT1_2, 12);
});
