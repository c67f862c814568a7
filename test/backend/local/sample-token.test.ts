import { expect, test } from 'vitest';
import { cumulativeWeights, drawToken, logSoftmax } from '../../../src/backend/local/sample-token.js';
import { stream } from '../../../src/random.js';

const LOGPROBS = Float64Array.from([0.1, 0.4, 0.3, 0.2], Math.log);

function shares(temperature: number, topP: number): number[] {
  const random = stream(1, 'draws');
  const weights = cumulativeWeights(LOGPROBS, { temperature, topP });
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 20_000; i++) {
    const token = drawToken(weights, random);
    counts[token] = (counts[token] as number) + 1;
  }
  return counts.map((count) => count / 20_000);
}

function expectShares(found: readonly number[], expected: readonly number[]): void {
  for (const [token, share] of expected.entries()) expect(found[token]).toBeCloseTo(share, 1.7);
}

test('log-probabilities sum to one and keep differences, for large logits too', () => {
  const logprobs = logSoftmax([1000, 1001, 999]);
  expect(logprobs.reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 12);
  expect((logprobs[1] as number) - (logprobs[2] as number)).toBeCloseTo(2, 12);
});

test('tokens come up as often as their probability says', () =>
  expectShares(shares(1, 1), [0.1, 0.4, 0.3, 0.2]));

test('a temperature of 2 takes the square root of the odds', () => {
  const roots = [0.1, 0.4, 0.3, 0.2].map(Math.sqrt);
  const total = roots.reduce((a, b) => a + b);
  expectShares(
    shares(2, 1),
    roots.map((root) => root / total),
  );
});

test('top-p keeps the likeliest tokens that hold that much, and at least one', () => {
  expectShares(shares(1, 0.69), [0, 4 / 7, 3 / 7, 0]);
  expectShares(shares(1, 0.71), [0, 4 / 9, 3 / 9, 2 / 9]);
  expect(shares(1, 0.01)).toEqual([0, 1, 0, 0]);
});

test('temperature 0 takes the likeliest token, the first of equals', () => {
  const greedy = { temperature: 0, topP: 1 };
  expect(drawToken(cumulativeWeights(LOGPROBS, greedy), stream(1))).toBe(1);
  expect(drawToken(cumulativeWeights(Float64Array.of(-2, -1, -1), greedy), stream(1))).toBe(1);
});
