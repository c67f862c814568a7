import { jit, nn, numpy as np, tree } from '@jax-js/jax';
import { createEmbedding } from './embedding.js';
import type { ModelShape } from './model-shape.js';
import { modelParameters, POSITION_EMBEDDING, TOKEN_EMBEDDING, VALUE_HEAD } from './model-shape.js';
import type { PackedRows } from './packed-rows.js';

/**
 * Tensors of the model but its embeddings, by name. jax-js arrays have one owner: a function consumes what it is given, and `.ref`
 * gives another right to use.
 */
export type Weights = Record<string, np.Array>;

/** The tensors that jax-js works on; embeddings are looked up in plain code, which costs nothing and has a cheap gradient. */
export function loadWeights(shape: ModelShape, flat: Float32Array): Weights {
  const weights: Weights = {};
  for (const { name, shape: dims, offset, size } of modelParameters(shape)) {
    if (name === TOKEN_EMBEDDING || name === POSITION_EMBEDDING) continue;
    weights[name] = np.array(flat.slice(offset, offset + size), { shape: [...dims] });
  }
  return weights;
}

/** Gives up a set of weights. */
export function disposeWeights(weights: Weights): void {
  for (const tensor of Object.values(weights)) tensor.dispose();
}

/** The tensor of a name; consumes nothing. */
export function tensor(weights: Weights, name: string): np.Array {
  const found = weights[name];
  if (found === undefined) throw new Error(`internal: no tensor "${name}"`);
  return found;
}

/** The numbers of an array, which is consumed. */
export function readFloats(array: np.Array, size: number): Float32Array {
  const data = array.dataSync();
  if (!(data instanceof Float32Array) || data.length !== size)
    throw new Error(`internal: expected ${size} floats of the model`);
  return data;
}

/** x/√(mean x² + 1e-5)·gain over the last axis. Consumes both. */
export function rmsNorm(x: np.Array, gain: np.Array): np.Array {
  const meanSquare = np.mean(np.square(x.ref), -1, { keepdims: true });
  return x.mul(np.reciprocal(np.sqrt(meanSquare.add(1e-5)))).mul(gain);
}

/** x + relu(norm(x)·W₁)·W₂ of a layer. Consumes `x` and the layer's tensors. */
export function feedForward(weights: Weights, layer: number, x: np.Array): np.Array {
  const normed = rmsNorm(x.ref, tensor(weights, `blocks.${layer}.feed_forward_norm`));
  const hidden = nn.relu(np.matmul(normed, tensor(weights, `blocks.${layer}.feed_forward_in`)));
  return x.add(np.matmul(hidden, tensor(weights, `blocks.${layer}.feed_forward_out`)));
}

/** Queries, keys and values side by side, [n, D] → [n, 3·D]. Keeps `x`, consumes the layer's tensors. */
export function projectQkv(weights: Weights, layer: number, x: np.Array): np.Array {
  const normed = rmsNorm(x.ref, tensor(weights, `blocks.${layer}.attention_norm`));
  return np.matmul(normed, tensor(weights, `blocks.${layer}.qkv`));
}

/** Final norm, [n, D] → [n, D]. Consumes `x` and the tensor. */
export function finalNorm(weights: Weights, x: np.Array): np.Array {
  return rmsNorm(x, tensor(weights, 'final_norm'));
}

/** Final norm and head, [n, D] → [n, V]. Consumes `x` and the tensors, the value head too. */
export function project(weights: Weights, x: np.Array): np.Array {
  weights[VALUE_HEAD]?.dispose();
  return np.matmul(finalNorm(weights, x), tensor(weights, 'head'));
}

/** The critic's values, [n, D] → [n], of what `finalNorm` gave. Consumes both. */
export function projectValues(weights: Weights, hidden: np.Array): np.Array {
  const [n = 0] = hidden.shape;
  return np.matmul(hidden, tensor(weights, VALUE_HEAD)).reshape([n]);
}

/** Logits after each entry, see `treeStream`, [rows·length, V]. Consumes everything. */
export function treeLogits(shape: ModelShape, weights: Weights, x: np.Array, ends: np.Array): np.Array {
  return project(weights, treeStream(shape, weights, x, ends));
}

/**
 * The residual stream after each entry of rows in which an entry sees those that it descends from, see `PackedRows`.
 *
 * @param x     embedded tokens, [rows·length, D]; consumed, as the weights are.
 * @param ends  [rows, length] int32; consumed.
 * @returns     [rows·length, D]
 */
export function treeStream(shape: ModelShape, weights: Weights, x: np.Array, ends: np.Array): np.Array {
  const { dModel: D, nHeads: H, nLayers } = shape;
  const [rows = 0, length = 0] = ends.shape;
  const headSize = D / H;
  const queryIndex = np.arange(length).reshape([1, 1, length, 1]);
  const isVisible = np.logicalAnd(
    np.tri(length, length, 0, { dtype: np.bool }),
    np.less(queryIndex, ends.reshape([rows, 1, 1, length])),
  );
  let stream = x;
  for (let layer = 0; layer < nLayers; layer++) {
    const qkv = projectQkv(weights, layer, stream).reshape([rows, length, 3, H, headSize]);
    const q = qkv.ref.slice([], [], 0);
    const k = qkv.ref.slice([], [], 1);
    const v = qkv.slice([], [], 2);
    // Einsum by axis numbers: its string form needs iterator helpers, which Node 20 lacks. Axes: row 0, query 1, head 2, channel 3, key 4.
    const scores = np.einsum(q, [0, 1, 2, 3], k, [0, 4, 2, 3], [0, 2, 1, 4]).mul(1 / Math.sqrt(headSize));
    const attention = nn.softmax(np.where(isVisible.ref, scores, -1e9), -1);
    const mixed = np
      .einsum(attention, [0, 2, 1, 4], v, [0, 4, 2, 3], [0, 1, 2, 3])
      .reshape([rows * length, D]);
    stream = stream.add(np.matmul(mixed, tensor(weights, `blocks.${layer}.attention_out`)));
    stream = feedForward(weights, layer, stream);
  }
  isVisible.dispose();
  return stream;
}

/** The model without gradients, over packed rows. `weights` are kept. Each shape is compiled when it first comes up. */
export interface ForwardProgram {
  /** Logits after each entry, [rows·length·V]. */
  logits(weights: Weights, flatWeights: Float32Array, packed: PackedRows): Float32Array;
  /** The critic's value of each entry, [rows·length]; for a model that has one. */
  values(weights: Weights, flatWeights: Float32Array, packed: PackedRows): Float32Array;
}

export function createForwardProgram(shape: ModelShape): ForwardProgram {
  const { dModel: D, vocabularySize: V } = shape;
  const embedding = createEmbedding(shape);
  const compile = (
    forward: (weights: Weights, x: np.Array, ends: np.Array) => np.Array,
    width: number,
  ): ForwardProgram['logits'] => {
    const run = jit(forward);
    return (weights, flatWeights, { rows, length, tokens, positions, ends }) => {
      const entries = rows * length;
      const embedded = new Float32Array(entries * D);
      embedding.lookUp(flatWeights, tokens, positions, embedded);
      const output = run(
        tree.ref(weights),
        np.array(embedded, { shape: [entries, D] }),
        np.array(ends, { shape: [rows, length], dtype: np.int32 }),
      );
      return readFloats(output, entries * width);
    };
  };
  return {
    logits: compile((weights, x, ends) => treeLogits(shape, weights, x, ends), V),
    values: compile((weights, x, ends) => {
      const hidden = finalNorm(weights, treeStream(shape, weights, x, ends));
      tensor(weights, 'head').dispose();
      return projectValues(weights, hidden);
    }, 1),
  };
}
