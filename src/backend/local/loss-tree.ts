import { type Loss, lossKey, type TokenWeights } from './loss.js';
import type { TrainingRow } from './trajectory-rows.js';

/** A row with the loss of its role and the advantage of each entry. */
export interface LossRow {
  readonly row: TrainingRow;
  readonly loss: Loss;
  readonly advantages: Float64Array;
}

/** Rows of one loss as a tree of their tokens: a beginning that rows share is there once. */
export interface LossTree {
  readonly loss: Loss;
  readonly root: LossNode;
  /** Contexts, the root aside. */
  readonly size: number;
  /** Tokens of the longest row. */
  readonly depth: number;
}

/** A context: the tokens from the root to here. The root has none and position −1. */
export interface LossNode {
  readonly token: number;
  readonly position: number;
  readonly parent: LossNode | undefined;
  readonly children: Map<number, LossNode>;
  /** The same context again, for a token that was sampled here with another probability (by other weights). */
  twin: LossNode | undefined;
  /** What was sampled here, by token. */
  readonly terms: Map<number, LossTerm>;
}

/** One token after one context, for all trajectories that sampled it there with this probability. */
export interface LossTerm extends TokenWeights {
  readonly sampledLogprob: number;
  positive: number;
  negative: number;
  count: number;
}

/**
 * One tree for each loss, in order of first appearance.
 *
 * Exact, not an approximation: the policy's probabilities depend on the context alone, and every loss is a sum over trajectories of terms that are
 * linear in the positive and the negative part of the advantage, or free of it. So rollouts that share a prompt, or chose the same tokens, share the
 * cost; and padding is rare, since trees pack densely. Rows whose advantages are all 0 are left out where they have no gradient.
 */
export function lossTrees(rows: readonly LossRow[]): LossTree[] {
  const trees = new Map<string, { loss: Loss; root: LossNode; size: number; depth: number }>();
  const keys = new Map<Loss, string>();
  for (const { row, loss, advantages } of rows) {
    if (loss.name !== 'dro' && advantages.every((advantage) => advantage === 0)) continue;
    const key = keys.get(loss) ?? lossKey(loss);
    keys.set(loss, key);
    let tree = trees.get(key);
    if (tree === undefined) {
      tree = { loss, root: newNode(undefined, -1), size: 0, depth: 0 };
      trees.set(key, tree);
    }
    tree.size += insert(tree.root, row, advantages);
    tree.depth = Math.max(tree.depth, row.tokens.length);
  }
  return [...trees.values()];
}

/** @returns  the number of new nodes. */
function insert(root: LossNode, row: TrainingRow, advantages: Float64Array): number {
  let made = 0;
  let node = root;
  for (const [i, token] of row.tokens.entries()) {
    let child = node.children.get(token);
    if (child === undefined) {
      child = newNode(node, token);
      node.children.set(token, child);
      made++;
    }
    node = child;
    if (row.sampled[i] === 1) {
      made += addTerm(node, row.targets[i] as number, row.logprobs[i] as number, advantages[i] as number);
    }
  }
  return made;
}

function addTerm(node: LossNode, target: number, sampledLogprob: number, advantage: number): number {
  let made = 0;
  let at = node;
  let term = at.terms.get(target);
  while (term !== undefined && term.sampledLogprob !== sampledLogprob) {
    if (at.twin === undefined) {
      at.twin = newNode(node.parent, node.token);
      made++;
    }
    at = at.twin;
    term = at.terms.get(target);
  }
  if (term === undefined) {
    term = { sampledLogprob, positive: 0, negative: 0, count: 0 };
    at.terms.set(target, term);
  }
  term.count++;
  if (advantage > 0) term.positive += advantage;
  else term.negative += advantage;
  return made;
}

function newNode(parent: LossNode | undefined, token: number): LossNode {
  const position = parent === undefined ? -1 : parent.position + 1;
  return { token, position, parent, children: new Map(), twin: undefined, terms: new Map() };
}
