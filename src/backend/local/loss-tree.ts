import { type Loss, lossKey, type TokenWeights } from '../loss.js';
import type { RowReturns, TrainingRow } from '../trajectory-rows.js';
import { addReturn, type ValueTerm } from './critic.js';
import type { ContextNode } from './packed-rows.js';

/** A row with the loss of its role and the advantage of each entry. */
export interface LossRow {
  readonly row: TrainingRow;
  readonly loss: Loss;
  readonly advantages: Float64Array;
  /** Where the model has a critic. */
  readonly returns?: RowReturns;
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

/** A context and what it is to learn. Its twin takes a token that was sampled here with another probability (by other weights), and so on. */
export interface LossNode extends ContextNode<LossNode> {
  readonly children: Map<number, LossNode>;
  twin: LossNode | undefined;
  /** What was sampled here, by token. */
  readonly terms: Map<number, LossTerm>;
  value: ValueTerm | undefined;
}

/** One token after one context, for all trajectories that sampled it there with this probability. */
export interface LossTerm extends TokenWeights {
  readonly sampledLogprob: number;
  positive: number;
  negative: number;
  count: number;
  /** How many trajectories have a positive advantage here, and how many a negative one. */
  positives: number;
  negatives: number;
}

/**
 * One tree for each loss, in order of first appearance.
 *
 * Exact, not an approximation: the policy's probabilities depend on the context alone, and every loss is a sum over trajectories of terms that are
 * linear in the positive and the negative part of the advantage, or free of it. So rollouts that share a prompt, or chose the same tokens, share the
 * cost; and padding is rare, since trees pack densely. Rows whose advantages are all 0 are left out where they have no gradient.
 *
 * @param hasClippedValues  the loss of a value is not linear in its return, so that different returns cannot share a context.
 */
export function lossTrees(rows: readonly LossRow[], hasClippedValues = false): LossTree[] {
  const trees = new Map<string, { loss: Loss; root: LossNode; size: number; depth: number }>();
  const keys = new Map<Loss, string>();
  for (const { row, loss, advantages, returns } of rows) {
    const isTrained = loss.name === 'dro' || advantages.some((advantage) => advantage !== 0);
    if (!isTrained && returns === undefined) continue;
    const key = keys.get(loss) ?? lossKey(loss);
    keys.set(loss, key);
    let tree = trees.get(key);
    if (tree === undefined) {
      tree = { loss, root: emptyTree(), size: 0, depth: 0 };
      trees.set(key, tree);
    }
    tree.size += insert(tree.root, row, (node, i) => {
      let made = 0;
      if (isTrained) {
        made += addTerm(node, row.targets[i] as number, row.logprobs[i] as number, advantages[i] as number);
      }
      if (returns !== undefined) {
        const { targets, before } = returns;
        made += addValue(node, targets[i] as number, before[i] as number, hasClippedValues);
      }
      return made;
    });
    tree.depth = Math.max(tree.depth, row.tokens.length);
  }
  return [...trees.values()];
}

/** A tree that holds no row yet. */
export function emptyTree(): LossNode {
  return newNode(undefined, -1);
}

/**
 * Adds a row's contexts to a tree.
 *
 * @param add  is called with the context of each sampled token and its index in the row; returns how many nodes it made.
 * @returns    the number of new nodes.
 */
export function insert(
  root: LossNode,
  row: TrainingRow,
  add: (node: LossNode, index: number) => number,
): number {
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
    if (row.sampled[i] === 1) made += add(node, i);
  }
  return made;
}

function addTerm(node: LossNode, target: number, sampledLogprob: number, advantage: number): number {
  let made = 0;
  let at = node;
  let term = at.terms.get(target);
  while (term !== undefined && term.sampledLogprob !== sampledLogprob) {
    if (at.twin === undefined) made++;
    at = twinOf(at);
    term = at.terms.get(target);
  }
  if (term === undefined) {
    term = { sampledLogprob, positive: 0, negative: 0, count: 0, positives: 0, negatives: 0 };
    at.terms.set(target, term);
  }
  term.count++;
  if (advantage > 0) {
    term.positive += advantage;
    term.positives++;
  } else if (advantage < 0) {
    term.negative += advantage;
    term.negatives++;
  }
  return made;
}

function addValue(node: LossNode, target: number, before: number, isExact: boolean): number {
  let made = 0;
  let at = node;
  while (isExact && at.value !== undefined && (at.value.mean !== target || at.value.before !== before)) {
    if (at.twin === undefined) made++;
    at = twinOf(at);
  }
  at.value ??= { count: 0, mean: 0, spread: 0, before };
  addReturn(at.value, target);
  return made;
}

function twinOf(node: LossNode): LossNode {
  node.twin ??= newNode(node.parent, node.token);
  return node.twin;
}

function newNode(parent: LossNode | undefined, token: number): LossNode {
  const position = parent === undefined ? -1 : parent.position + 1;
  return {
    token,
    position,
    parent,
    children: new Map(),
    twin: undefined,
    terms: new Map(),
    value: undefined,
  };
}
