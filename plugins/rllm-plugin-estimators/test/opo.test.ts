import fc from 'fast-check';
import { createApp } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import estimators, { calculateDrGrpoAdvantages, calculateOpoAdvantages } from '../src/index.js';
import { algorithm, group, sum } from './support.js';

describe('the length-weighted baseline', () => {
  test.each([
    {
      what: 'the example of the paper',
      rewards: [1, 0, 0],
      lengths: [100, 200, 300],
      expected: [5 / 6, -1 / 6, -1 / 6],
    },
    { what: 'equal lengths give the plain mean', rewards: [1, 0], lengths: [10, 10], expected: [0.5, -0.5] },
    {
      what: 'a reward without tokens does not count',
      rewards: [2, 4, 9],
      lengths: [1, 3, 0],
      expected: [-1.5, 0.5, 5.5],
    },
    { what: 'no tokens at all give the plain mean', rewards: [3, 1], lengths: [0, 0], expected: [1, -1] },
    {
      what: 'an offset of a thousand millions costs no digits',
      rewards: [1e9 + 1, 1e9, 1e9],
      lengths: [100, 200, 300],
      expected: [5 / 6, -1 / 6, -1 / 6],
    },
    { what: 'a lone trajectory keeps its reward', rewards: [0.25], lengths: [7], expected: [0.25] },
  ])('$what', ({ rewards, lengths, expected }) => {
    const [advantages] = calculateOpoAdvantages([rewards], [lengths]);
    expect(advantages).toHaveLength(expected.length);
    for (const [i, value] of expected.entries()) expect(advantages?.[i]).toBeCloseTo(value, 14);
  });

  test('a group with too few lengths is an error that names it', () => {
    expect(() => calculateOpoAdvantages([[1], [1, 2]], [[1], [1]])).toThrow(
      'group 1 has 2 rewards and 1 lengths',
    );
  });
});

const rewardsAndLengths = fc
  .array(fc.tuple(fc.integer({ min: -800, max: 800 }), fc.integer({ min: 1, max: 500 })), {
    minLength: 2,
    maxLength: 10,
  })
  .map((pairs) => ({ rewards: pairs.map(([r]) => r / 8), lengths: pairs.map(([, length]) => length) }));

test('the length-weighted sum of a group is 0, and it equals its definition', () => {
  fc.assert(
    fc.property(rewardsAndLengths, ({ rewards, lengths }) => {
      const [got] = calculateOpoAdvantages([rewards], [lengths]);
      expect(sum((got ?? new Float64Array()).map((value, i) => value * (lengths[i] ?? 0)))).toBeCloseTo(0, 8);
      const baseline = sum(rewards.map((value, i) => value * (lengths[i] ?? 0))) / sum(lengths);
      for (const [i, value] of rewards.entries()) expect(got?.[i]).toBeCloseTo(value - baseline, 9);
    }),
  );
});

test('with equal lengths it is Dr. GRPO', () => {
  fc.assert(
    fc.property(rewardsAndLengths, fc.integer({ min: 1, max: 9 }), ({ rewards }, length) => {
      const [got] = calculateOpoAdvantages([rewards], [rewards.map(() => length)]);
      const [expected] = calculateDrGrpoAdvantages([rewards]);
      for (const [i, value] of (expected ?? []).entries()) expect(got?.[i]).toBeCloseTo(value, 9);
    }),
  );
});

test('an app that has it estimates by name, counting sampled tokens over all steps and no prompt', async () => {
  await using app = await createApp(
    { algorithm: { estimator: 'opo' } },
    { plugins: [estimators], useDeclared: false },
  );
  const { advantages } = app.estimators.get('opo').estimate({
    role: 'solver',
    rewards: [Float64Array.of(1, 0, 0)],
    groups: [group([1, 0, 0], { tokens: [[40, 60], [200], [100, 100, 100]] })],
    algorithm,
    options: {},
  });
  expect(advantages).toHaveLength(1);
  const [first] = advantages as readonly Float64Array[];
  expect(first?.[0]).toBeCloseTo(5 / 6, 14);
  expect(first?.[1]).toBeCloseTo(-1 / 6, 14);
});
