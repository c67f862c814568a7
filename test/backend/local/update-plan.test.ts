import fc from 'fast-check';
import { expect, test } from 'vitest';
import { updatePlan } from '../../../src/backend/local/update-plan.js';
import { rowBatch } from '../../../src/backend/row-batch.js';
import { ALGORITHM, group, step, trajectory } from './build-local.js';

const LIMITS = { vocabularySize: 100, contextLength: 8 };

/** Trajectories of one token each, all different, in two roles. */
function batchOf(count: number) {
  const members = Array.from({ length: count }, (_, id) =>
    trajectory(step({ promptIds: [0], responseIds: [id], logprobs: [-1], advantage: 1 })),
  );
  const half = Math.floor(count / 2);
  return rowBatch([group('a', members.slice(0, half)), group('b', members.slice(half))], LIMITS).trajectories;
}

test('every pass takes each trajectory once, in as many parts as asked where there are enough', () => {
  const sizes = fc.record({
    count: fc.integer({ min: 1, max: 40 }),
    miniBatches: fc.integer({ min: 1, max: 6 }),
    updateEpochs: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(sizes, ({ count, miniBatches, updateEpochs }) => {
      const parts = updatePlan(batchOf(count), { ...ALGORITHM, miniBatches, updateEpochs }, 1, 1);
      expect(parts.length).toBeLessThanOrEqual(miniBatches * updateEpochs);
      if (count % miniBatches === 0) expect(parts).toHaveLength(miniBatches * updateEpochs);
      const trained = parts.flatMap(({ trees }) =>
        trees.flatMap(({ root }) => [...root.children.values()].flatMap(({ terms }) => [...terms.keys()])),
      );
      const expected = Array.from({ length: count * updateEpochs }, (_, i) => Math.floor(i / updateEpochs));
      expect(trained.sort((a, b) => a - b)).toEqual(expected);
      expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(count * updateEpochs);
    }),
  );
});

test('mini-batches are dealt by seed and step', () => {
  const deal = (seed: number, at: number): string => {
    const parts = updatePlan(batchOf(30), { ...ALGORITHM, miniBatches: 3 }, seed, at);
    return JSON.stringify(
      parts.map(({ trees }) =>
        trees.map(({ root }) => [...root.children.values()].map(({ terms }) => [...terms.keys()])),
      ),
    );
  };
  expect(deal(1, 1)).toBe(deal(1, 1));
  expect(new Set([deal(1, 1), deal(1, 2), deal(2, 1)]).size).toBe(3);
});

test('trajectories without tokens ask for no optimiser step', () => {
  const batch = rowBatch([group('a', [trajectory(step({}))])], LIMITS);
  expect(updatePlan(batch.trajectories, ALGORITHM, 1, 1)).toEqual([]);
});
