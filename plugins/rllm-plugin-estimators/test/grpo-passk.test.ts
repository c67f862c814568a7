import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grpoPasskOptions } from '../src/grpo-passk.js';
import { calculateGrpoPasskAdvantages } from '../src/index.js';
import { rounded } from './support.js';

test.each([
  { what: 'the lead over the second', rewards: [1, 0.5, 0.2, 0], options: {}, expected: [0.5, 0, 0, 0] },
  {
    what: 'scaled, as verl does by default',
    rewards: [1, 0.5, 0.2, 0],
    options: { scale: 'group' },
    expected: [1.15, 0, 0, 0],
  },
  { what: 'the best need not be first', rewards: [0, 0.2, 1, 0.5], options: {}, expected: [0, 0, 0.5, 0] },
  { what: 'a tie leaves nothing to lose', rewards: [1, 1, 0, 0], options: {}, expected: [0, 0, 0, 0] },
  {
    what: 'a tie, scaled without epsilon',
    rewards: [1, 1, 1],
    options: { scale: 'group', epsilon: 0 },
    expected: [0, 0, 0],
  },
  { what: 'a lone trajectory has no second', rewards: [7], options: { scale: 'group' }, expected: [0] },
  { what: 'negative rewards', rewards: [-3, -1], options: {}, expected: [0, 2] },
] as const)('$what', ({ rewards, options, expected }) => {
  expect(rounded(calculateGrpoPasskAdvantages([rewards], options), 3)).toEqual([expected]);
});

test('each advantage is what the best of the group would lose without that rollout', () => {
  const rewards = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 10 });
  fc.assert(
    fc.property(rewards, (own) => {
      const [got] = calculateGrpoPasskAdvantages([own]);
      const definition = own.map((_, i) => Math.max(...own) - Math.max(...own.filter((_, j) => j !== i)));
      expect([...(got ?? [])]).toEqual(definition);
    }),
  );
});

test('its options have defaults', () => {
  expect(grpoPasskOptions.parse({})).toEqual({ scale: 'none', ddof: 1, epsilon: 1e-6 });
  expect(grpoPasskOptions.safeParse({ scale: 'batch' }).success).toBe(false);
});
