import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUniform, isUniformUpToNoise, meanOf, percentileOf, stdOf, summarize } from '../src/statistics.js';

test.each([
  { values: [1, 2, 3, 4], mean: 2.5, std: Math.sqrt(1.25) },
  { values: [7], mean: 7, std: 0 },
  { values: [1e8, 1e8 + 1], mean: 1e8 + 0.5, std: 0.5 },
])('mean and population std of $values', ({ values, mean, std }) => {
  expect(meanOf(values)).toBe(mean);
  expect(stdOf(values)).toBe(std);
});

test('the mean of a thousand large values keeps its digits, where a plain sum is off by 173', () => {
  const values = Array.from({ length: 1000 }, (_, i) => 9e15 + i);
  expect(meanOf(values)).toBe(9e15 + 500);
});

test.each([1, 1e160, 1e307])(
  'mean and std are those of their unit %d, whatever overflows on the way',
  (unit) => {
    const values = [15, 15, 0].map((value) => value * unit);
    expect(meanOf(values) / unit).toBeCloseTo(10, 12);
    expect(stdOf(values) / unit).toBeCloseTo(Math.sqrt(50), 12);
    expect(stdOf([unit, ...values, unit], meanOf(values), 1, 4)).toBe(stdOf(values));
  },
);

test.each([
  { values: [0.1 + 0.2, 0.3, 0.3], uniform: true },
  { values: [-1e6, -1e6 - 1e-7], uniform: true },
  { values: [1, 1, 0.9999999], uniform: false },
  { values: [0, 1e-300], uniform: false },
  { values: [0, 0], uniform: true },
])('$values: all equal up to noise $uniform', ({ values, uniform }) => {
  expect(isUniformUpToNoise(values)).toBe(uniform);
  expect(isUniformUpToNoise(values.toReversed())).toBe(uniform);
});

test.each([
  { values: [], uniform: true },
  { values: [1], uniform: true },
  { values: [0, -0], uniform: true },
  { values: [0.1, 0.1, 0.1], uniform: true },
  { values: [1, 1 + Number.EPSILON], uniform: false },
  { values: [1, Number.NaN], uniform: false },
])('$values: all equal $uniform', ({ values, uniform }) => {
  expect(isUniform(values)).toBe(uniform);
});

test('the summary of equal values has no noise', () => {
  expect(summarize([0.1, 0.1, 0.1])).toEqual({ mean: 0.1, std: 0, max: 0.1, min: 0.1 });
});

describe('percentiles', () => {
  // numpy.percentile([1, 2, 4, 8], [0, 10, 50, 90, 100])
  test.each([
    { percent: 0, expected: 1 },
    { percent: 10, expected: 1.3 },
    { percent: 50, expected: 3 },
    { percent: 90, expected: 6.8 },
    { percent: 100, expected: 8 },
  ])('p$percent of [1, 2, 4, 8] is $expected, as numpy has it', ({ percent, expected }) => {
    expect(percentileOf([1, 2, 4, 8], percent)).toBeCloseTo(expected, 12);
  });

  test('lie between the smallest and the largest, in order', () => {
    const sorted = fc.array(fc.integer(), { minLength: 1 }).map((all) => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(sorted, (values) => {
        const all = [0, 10, 50, 90, 100].map((percent) => percentileOf(values, percent));
        expect(all).toEqual(all.toSorted((a, b) => a - b));
        expect([all[0], all[4]]).toEqual([values[0], values.at(-1)]);
      }),
    );
  });
});
