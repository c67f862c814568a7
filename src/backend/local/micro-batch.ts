import type { Loss } from '../loss.js';
import type { LossNode, LossTree } from './loss-tree.js';
import { emptyRows, type PackedRows, packTree } from './packed-rows.js';

/** Contexts of one loss and what was sampled after them: what a worker computes a gradient of in one call. */
export interface MicroBatch extends PackedRows {
  readonly loss: Loss;
  /** What was sampled after each context, [rows·length·V]: log-probs, and as in `LossTerm`. Count 0: nothing was. */
  readonly sampledLogprobs: Float32Array;
  readonly positive: Float32Array;
  readonly negative: Float32Array;
  readonly counts: Float32Array;
  readonly positives: Float32Array;
  readonly negatives: Float32Array;
  /** For a model with a critic. */
  readonly values?: ValueTargets;
}

/** What the critic should say of each context, as in `ValueTerm`, [rows·length]. Count 0: nothing. */
export interface ValueTargets {
  readonly means: Float32Array;
  readonly counts: Float32Array;
  readonly before: Float32Array;
  /** Sum of the spreads of all contexts. */
  readonly spread: number;
}

/** A micro-batch in which nothing stands. */
export function emptyMicroBatch(
  loss: Loss,
  rows: number,
  length: number,
  vocabularySize: number,
  hasCritic = false,
): MicroBatch {
  return withTerms(emptyRows(rows, length), [], loss, vocabularySize, hasCritic);
}

/** Micro-batches that hold each context's terms once. */
export function microBatches(tree: LossTree, vocabularySize: number, hasCritic = false): MicroBatch[] {
  return packTree(tree.root, tree.depth).map(({ packed, nodes }) =>
    withTerms(packed, nodes, tree.loss, vocabularySize, hasCritic),
  );
}

function withTerms(
  packed: PackedRows,
  nodes: readonly (LossNode | undefined)[],
  loss: Loss,
  vocabularySize: number,
  hasCritic: boolean,
): MicroBatch {
  const perToken = (): Float32Array => new Float32Array(packed.tokens.length * vocabularySize);
  const batch = {
    loss,
    ...packed,
    sampledLogprobs: perToken(),
    positive: perToken(),
    negative: perToken(),
    counts: perToken(),
    positives: perToken(),
    negatives: perToken(),
  };
  for (const [i, node] of nodes.entries()) {
    for (const [target, term] of node?.terms ?? []) {
      const at = i * vocabularySize + target;
      batch.sampledLogprobs[at] = term.sampledLogprob;
      batch.positive[at] = term.positive;
      batch.negative[at] = term.negative;
      batch.counts[at] = term.count;
      batch.positives[at] = term.positives;
      batch.negatives[at] = term.negatives;
    }
  }
  return hasCritic ? { ...batch, values: valueTargets(packed.tokens.length, nodes) } : batch;
}

function valueTargets(entries: number, nodes: readonly (LossNode | undefined)[]): ValueTargets {
  const perContext = (): Float32Array => new Float32Array(entries);
  const targets = { means: perContext(), counts: perContext(), before: perContext() };
  let spread = 0;
  for (const [i, node] of nodes.entries()) {
    const term = node?.value;
    if (term === undefined) continue;
    targets.means[i] = term.mean;
    targets.counts[i] = term.count;
    targets.before[i] = term.before;
    spread += term.spread;
  }
  return { ...targets, spread };
}
