import { nn, numpy as np } from '@jax-js/jax';
import type { ModelShape } from './model-shape.js';
import { modelParameters, POSITION_EMBEDDING, TOKEN_EMBEDDING } from './model-shape.js';

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

/** Final norm and head, [n, D] → [n, V]. Consumes `x` and the tensors. */
export function project(weights: Weights, x: np.Array): np.Array {
  return np.matmul(rmsNorm(x, tensor(weights, 'final_norm')), tensor(weights, 'head'));
}

/**
 * Logits after each entry of rows in which an entry sees those that it descends from, see `MicroBatch`.
 *
 * @param x     embedded tokens, [rows·length, D]; consumed, as the weights are.
 * @param ends  [rows, length] int32; consumed.
 * @returns     [rows·length, V]
 */
export function treeLogits(shape: ModelShape, weights: Weights, x: np.Array, ends: np.Array): np.Array {
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
  return project(weights, stream);
}
