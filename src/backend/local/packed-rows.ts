/** A context in a tree of token sequences: the tokens from the root to here. The root has none and position −1. */
export interface ContextNode<Self> {
  readonly token: number;
  readonly position: number;
  readonly parent: Self | undefined;
  readonly children: ReadonlyMap<number, Self>;
  /** The same context again, for what does not fit in here. */
  readonly twin: Self | undefined;
}

/**
 * Contexts of a tree, packed into rows of one length.
 *
 * A row is a piece of the tree in preorder. A context sees the entries that it descends from: entry i sees entry j ≤ i where i < ends[j]. For
 * a row that holds one sequence this is causal attention; sequences side by side do not see each other.
 */
export interface PackedRows {
  readonly rows: number;
  readonly length: number;
  /** [rows·length]; −1 where a row has ended. */
  readonly tokens: Int32Array;
  /** Place of the token in its sequence, [rows·length]. */
  readonly positions: Int32Array;
  /** Index in its row after the last descendant, [rows·length]. */
  readonly ends: Int32Array;
}

/** Packed rows and whose they are. */
export interface PackedTree<Node> {
  readonly packed: PackedRows;
  /** The node of each entry, [rows·length]; none where a row has ended, or only repeats what another one holds. */
  readonly nodes: readonly (Node | undefined)[];
}

/** Entries of packed rows: enough to amortise a call, few enough to stay in the cache. */
const ENTRIES = 256;
const SHORTEST_ROW = 32;

/** Rows and length for sequences of up to `depth` tokens; lengths are powers of two, so that few shapes are compiled. */
export function packedShape(depth: number): { readonly rows: number; readonly length: number } {
  let length = SHORTEST_ROW;
  while (length < depth) length *= 2;
  return { rows: Math.max(1, ENTRIES / length), length };
}

/** Rows in which nothing stands. */
export function emptyRows(rows: number, length: number): PackedRows {
  const entries = rows * length;
  return {
    rows,
    length,
    tokens: new Int32Array(entries).fill(-1),
    positions: new Int32Array(entries),
    ends: Int32Array.from({ length: entries }, (_, i) => (i % length) + 1),
  };
}

/** Packs a tree of sequences of up to `depth` tokens; each node but the root is in `nodes` once. */
export function packTree<Node extends ContextNode<Node>>(root: Node, depth: number): PackedTree<Node>[] {
  const { rows, length } = packedShape(depth);
  const cut = cutRows(root, length);
  const trees: PackedTree<Node>[] = [];
  for (let at = 0; at < cut.length; at += rows) {
    const packed = emptyRows(rows, length);
    const nodes = new Array<Node | undefined>(rows * length).fill(undefined);
    for (const [r, entries] of cut.slice(at, at + rows).entries()) {
      writeRow(packed, r * length, entries);
      for (const [i, { node, isCopy }] of entries.entries()) if (!isCopy) nodes[r * length + i] = node;
    }
    trees.push({ packed, nodes });
  }
  return trees;
}

interface Entry<Node> {
  readonly node: Node;
  /** Stands in another row too, and here only to be seen by its descendants. */
  readonly isCopy: boolean;
}

/** Cuts a tree, in preorder, into rows; a row that begins within a sequence begins with copies of what comes before. */
function cutRows<Node extends ContextNode<Node>>(root: Node, length: number): Entry<Node>[][] {
  const rows: Entry<Node>[][] = [];
  let row: Entry<Node>[] = [];
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
function below<Node extends ContextNode<Node>>(node: Node): Node[] {
  const nodes: Node[] = [];
  for (const child of node.children.values()) {
    for (let at: Node | undefined = child; at !== undefined; at = at.twin) nodes.push(at);
  }
  return nodes.reverse();
}

/** From the first token to the parent. */
function ancestors<Node extends ContextNode<Node>>({ parent }: Node): Node[] {
  const path: Node[] = [];
  for (let at = parent; at?.parent !== undefined; at = at.parent) path.push(at);
  return path.reverse();
}

function writeRow<Node extends ContextNode<Node>>(
  { tokens, positions, ends }: PackedRows,
  start: number,
  entries: readonly Entry<Node>[],
): void {
  const open: number[] = [];
  for (const [i, { node }] of entries.entries()) {
    while (open.length > node.position) ends[start + (open.pop() as number)] = i;
    open.push(i);
    tokens[start + i] = node.token;
    positions[start + i] = node.position;
  }
  for (const i of open) ends[start + i] = entries.length;
}
