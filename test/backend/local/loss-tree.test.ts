import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LossRow, type LossTree, lossTrees } from '../../../src/backend/local/loss-tree.js';
import { type MicroBatch, microBatches } from '../../../src/backend/local/micro-batch.js';
import type { Loss } from '../../../src/backend/loss.js';

const PPO: Loss = { name: 'ppo', low: 0.8, high: 1.2 };
const V = 5;

function row(
  tokens: readonly number[],
  target: number,
  logprob: number,
  advantage: number,
  loss = PPO,
): LossRow {
  const sampled = tokens.map((_, i): 0 | 1 => (i === tokens.length - 1 ? 1 : 0));
  return {
    row: {
      tokens,
      targets: [...tokens.slice(1), target],
      logprobs: sampled.map((mask) => mask * logprob),
      sampled,
      spans: [],
    },
    loss,
    advantages: Float64Array.from(sampled, (mask) => mask * advantage),
  };
}

function onlyTree(rows: readonly LossRow[]): LossTree {
  const trees = lossTrees(rows);
  expect(trees).toHaveLength(1);
  return trees[0] as LossTree;
}

/** Every term of the batches with the tokens that its entry may see, in order. */
function termsOf(batches: readonly MicroBatch[]) {
  return batches.flatMap((batch) =>
    Array.from({ length: batch.rows * batch.length }, (_, entry) => entry).flatMap((entry) => {
      const start = entry - (entry % batch.length);
      const visible = Array.from({ length: batch.length }, (_, j) => start + j).filter(
        (j) => j <= entry && entry - start < (batch.ends[j] as number),
      );
      return Array.from({ length: V }, (_, target) => entry * V + target)
        .filter((at) => (batch.counts[at] as number) > 0)
        .map((at) => ({
          context: visible.map((j) => batch.tokens[j]),
          positions: visible.map((j) => batch.positions[j]),
          target: at % V,
          logprob: batch.sampledLogprobs[at],
          positive: batch.positive[at],
          negative: batch.negative[at],
          count: batch.counts[at],
        }));
    }),
  );
}

test('rows that share a beginning share its contexts, and equal choices are one term with summed advantages', () => {
  const rows = [
    row([0, 1, 2], 3, -1, 0.5),
    row([0, 1, 2], 3, -1, -0.25),
    row([0, 1, 2], 4, -2, 1),
    row([0, 2], 1, -1, 2),
  ];
  const tree = onlyTree(rows);
  expect(tree.size).toBe(4);
  expect(tree.depth).toBe(3);
  expect(termsOf(microBatches(tree, V))).toEqual([
    {
      context: [0, 1, 2],
      positions: [0, 1, 2],
      target: 3,
      logprob: -1,
      positive: 0.5,
      negative: -0.25,
      count: 2,
    },
    { context: [0, 1, 2], positions: [0, 1, 2], target: 4, logprob: -2, positive: 1, negative: 0, count: 1 },
    { context: [0, 2], positions: [0, 1], target: 1, logprob: -1, positive: 2, negative: 0, count: 1 },
  ]);
});

test('the same choice with another sampled probability stays a term of its own', () => {
  const terms = termsOf(
    microBatches(onlyTree([row([0, 1], 3, -1, 1), row([0, 1], 3, -1.5, 1), row([0, 1], 3, -1, 1)]), V),
  );
  expect(terms.map(({ context, logprob, count }) => [context, logprob, count])).toEqual([
    [[0, 1], -1, 2],
    [[0, 1], -1.5, 1],
  ]);
});

test('rows without any advantage are left out where the loss has no gradient, and kept for dro', () => {
  expect(lossTrees([row([0, 1], 3, -1, 0)])).toEqual([]);
  expect(lossTrees([row([0, 1], 3, -1, 0, { name: 'dro', beta: 0.05 })])).toHaveLength(1);
});

test('each loss has a tree of its own', () => {
  const trees = lossTrees([
    row([0, 1], 3, -1, 1),
    row([0, 1], 3, -1, 1, { name: 'cross_entropy' }),
    row([0, 2], 3, -1, 1),
  ]);
  expect(trees.map(({ loss, size }) => [loss.name, size])).toEqual([
    ['ppo', 3],
    ['cross_entropy', 2],
  ]);
});

test('packing loses nothing, counts nothing twice, and shows each entry exactly the tokens before it', () => {
  const sequence = fc.record({
    tokens: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 40 }),
    target: fc.nat({ max: V - 1 }),
    logprob: fc.constantFrom(-1, -2),
    advantage: fc.constantFrom(-1, 0.5, 2),
  });
  fc.assert(
    fc.property(fc.array(sequence, { minLength: 1, maxLength: 60 }), (sequences) => {
      const expected = new Map<string, number[]>();
      for (const { tokens, target, logprob, advantage } of sequences) {
        const key = JSON.stringify([tokens, target, logprob]);
        const [positive = 0, negative = 0, count = 0] = expected.get(key) ?? [];
        expected.set(key, [positive + Math.max(advantage, 0), negative + Math.min(advantage, 0), count + 1]);
      }
      const rows = sequences.map(({ tokens, target, logprob, advantage }) =>
        row(tokens, target, logprob, advantage),
      );
      const found = new Map<string, number[]>();
      for (const term of termsOf(microBatches(onlyTree(rows), V))) {
        const key = JSON.stringify([term.context, term.target, term.logprob]);
        expect(found.has(key)).toBe(false);
        expect(term.positions).toEqual(term.context.map((_, i) => i));
        found.set(key, [term.positive as number, term.negative as number, term.count as number]);
      }
      expect([...found].sort()).toEqual([...expected].sort());
    }),
  );
});
