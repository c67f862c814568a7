import { expect, test } from 'vitest';
import { addReturn, valueLoss } from '../../../src/backend/local/critic.js';

test.each<[string, number, { count: number; mean: number; before: number }, number | null, number]>([
  ['one return', 0.5, { count: 1, mean: 1, before: 0 }, null, 0.25],
  ['three equal returns', 0.5, { count: 3, mean: 1, before: 0 }, null, 0.75],
  ['a value within the clip', 0.1, { count: 1, mean: 1, before: 0 }, 0.2, 0.81],
  ['a value that ran ahead gains nothing beyond the clip', 0.9, { count: 1, mean: 1, before: 0 }, 0.2, 0.64],
  ['a value that ran away pays in full', -0.9, { count: 2, mean: 1, before: 0 }, 0.2, 2 * 3.61],
])('value loss by hand: %s', (_, value, term, clip, expected) => {
  expect(valueLoss(value, term, clip)).toBeCloseTo(expected, 12);
});

test('a term of several returns and its spread are together the sum of their squared errors', () => {
  const returns = [1, 0, 0.25, -3, 1e6];
  const term = { count: 0, mean: 0, spread: 0, before: 0 };
  for (const target of returns) addReturn(term, target);
  const value = 0.7;
  const apart = returns.reduce((sum, target) => sum + (value - target) ** 2, 0);
  expect(term.count).toBe(5);
  expect((valueLoss(value, term, null) + term.spread) / apart).toBeCloseTo(1, 12);
});
