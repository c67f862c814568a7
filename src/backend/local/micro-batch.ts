import type { Loss } from './loss.js';
import type { LossNode, LossTree } from './loss-tree.js';

/**
 * Contexts of one loss, packed into rows of one length: what a worker computes a gradient of in one call.
 *
 * A row is a piece of the tree in preorder. A context sees the entries that it descends from: entry i sees entry j ≤ i where i < ends[j]. For
 * a row that holds one sequence this is causal attention; sequences side by side do not see each other.
 */
export interface MicroBatch {
  readonly loss: Loss;
  readonly rows: number;
  readonly length: number;
  /** [rows·length]; −1 where a row has ended. */
  readonly tokens: Int32Array;
  /** Place of the token in its sequence, [rows·length]. */
  readonly positions: Int32Array;
  /** Index in its row after the last descendant, [rows·length]. */
  readonly ends: Int32Array;
  /** What was sampled after each context, [rows·length·V]: log-probs, and as in `TokenWeights`. Count 0: nothing was. */
  readonly sampledLogprobs: Float32Array;
  readonly positive: Float32Array;
  readonly negative: Float32Array;
  readonly counts: Float32Array;
}

/** Entries of a micro-batch: enough to amortise a call, few enough to stay in the cache. */
const ENTRIES = 256;
const SHORTEST_ROW = 32;

/** Rows and length of the micro-batches for sequences of up to `depth` tokens; lengths are powers of two, so that few shapes are compiled. */
export function microBatchShape(depth: number): { readonly rows: number; readonly length: number } {
  let length = SHORTEST_ROW;
  while (length < depth) length *= 2;
  return { rows: Math.max(1, ENTRIES / length), length };
}

/** A micro-batch in which nothing stands. */
export function emptyMicroBatch(
  loss: Loss,
  rows: number,
  length: number,
  vocabularySize: number,
): MicroBatch {
  const entries = rows * length;
  const perToken = (): Float32Array => new Float32Array(entries * vocabularySize);
  return {
    loss,
    rows,
    length,
    tokens: new Int32Array(entries).fill(-1),
    positions: new Int32Array(entries),
    ends: Int32Array.from({ length: entries }, (_, i) => (i % length) + 1),
    sampledLogprobs: perToken(),
    positive: perToken(),
    negative: perToken(),
    counts: perToken(),
  };
}

/** Micro-batches that hold each context's terms once. */
export function microBatches(tree: LossTree, vocabularySize: number): MicroBatch[] {
  const { rows, length } = microBatchShape(tree.depth);
  const packed = packRows(tree.root, length);
  const batches: MicroBatch[] = [];
  for (let at = 0; at < packed.length; at += rows) {
    const batch = emptyMicroBatch(tree.loss, rows, length, vocabularySize);
    for (const [r, entries] of packed.slice(at, at + rows).entries()) {
      writeRow(batch, r * length, entries, vocabularySize);
    }
    batches.push(batch);
  }
  return batches;
}

interface Entry {
  readonly node: LossNode;
  /** Stands in another row too, and here only to be seen by its descendants. */
  readonly isCopy: boolean;
}

/** Cuts a tree, in preorder, into rows; a row that begins within a sequence begins with copies of what comes before. */
function packRows(root: LossNode, length: number): Entry[][] {
  const rows: Entry[][] = [];
  let row: Entry[] = [];
  const stack = below(root);
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (row.length === length || row.length === 0) {
      row = ancestors(node).map((ancestor) => ({ node: ancestor, isCopy: true }));
      rows.push(row);
    }
    row.push({ node, isCopy: false });
    stack.push(...below(node));
  }
  return rows;
}

/** Children and their twins, last first. */
function below(node: LossNode): LossNode[] {
  const nodes: LossNode[] = [];
  for (const child of node.children.values()) {
    for (let at: LossNode | undefined = child; at !== undefined; at = at.twin) nodes.push(at);
  }
  return nodes.reverse();
}

/** From the first token to the parent. */
function ancestors({ parent }: LossNode): LossNode[] {
  const path: LossNode[] = [];
  for (let at = parent; at?.parent !== undefined; at = at.parent) path.push(at);
  return path.reverse();
}

function writeRow(batch: MicroBatch, start: number, entries: readonly Entry[], vocabularySize: number): void {
  const open: number[] = [];
  for (const [i, { node, isCopy }] of entries.entries()) {
    while (open.length > node.position) batch.ends[start + (open.pop() as number)] = i;
    open.push(i);
    batch.tokens[start + i] = node.token;
    batch.positions[start + i] = node.position;
    if (isCopy) continue;
    for (const [target, term] of node.terms) {
      const at = (start + i) * vocabularySize + target;
      batch.sampledLogprobs[at] = term.sampledLogprob;
      batch.positive[at] = term.positive;
      batch.negative[at] = term.negative;
      batch.counts[at] = term.count;
    }
  }
  for (const i of open) batch.ends[start + i] = entries.length;
}
