import { jit, numpy as np, tree } from '@jax-js/jax';
import type { ModelShape } from './model-shape.js';
import { feedForward, project, projectQkv, readFloats, tensor, type Weights } from './transformer.js';

/** One token of each of `rows` sequences, given the keys and values of what came before. */
export interface DecodeInput {
  readonly rows: number;
  /** Places for earlier tokens. */
  readonly length: number;
  /** [rows, D] */
  readonly embedded: Float32Array;
  /** [rows, length, layers·2·D]; what lies beyond a row's own length is ignored, but must be finite. */
  readonly past: Float32Array;
  /** Earlier tokens of each row, [rows]. */
  readonly pastLengths: Int32Array;
}

export interface DecodeOutput {
  /** [rows, V] */
  readonly logits: Float32Array;
  /** Keys and values of the token, [rows, layers·2·D]. */
  readonly keysValues: Float32Array;
}

/** Runs one step of cached decoding. A row's result depends on that row alone, to the last bit. `weights` are kept. */
export type DecodeProgram = (weights: Weights, input: DecodeInput) => DecodeOutput;

export function createDecodeProgram(shape: ModelShape): DecodeProgram {
  const { dModel: D, nLayers, vocabularySize: V } = shape;
  const width = nLayers * 2 * D;
  const decode = jit((weights: Weights, x: np.Array, past: np.Array, pastLengths: np.Array) =>
    decodeStep(shape, weights, x, past, pastLengths),
  );
  return (weights, { rows, length, embedded, past, pastLengths }) => {
    const [logits, keysValues] = decode(
      tree.ref(weights),
      np.array(embedded, { shape: [rows, D] }),
      np.array(past, { shape: [rows, length, width] }),
      np.array(pastLengths, { dtype: np.int32 }),
    ) as [np.Array, np.Array];
    return { logits: readFloats(logits, rows * V), keysValues: readFloats(keysValues, rows * width) };
  };
}

/**
 * The new token attends to the places before it and to itself, which is always added last: so the number of places does not matter.
 *
 * @returns  logits and the token's keys and values, see `DecodeOutput`.
 */
function decodeStep(
  shape: ModelShape,
  weights: Weights,
  x: np.Array,
  past: np.Array,
  pastLengths: np.Array,
): [np.Array, np.Array] {
  const { dModel: D, nHeads: H, nLayers } = shape;
  const headSize = D / H;
  const scale = 1 / Math.sqrt(headSize);
  const [rows = 0, length = 0] = past.shape;
  const isPast = np.less(np.arange(length).reshape([1, 1, length]), pastLengths.reshape([rows, 1, 1]));
  const keysValues: np.Array[] = [];
  let stream = x;
  for (let layer = 0; layer < nLayers; layer++) {
    const qkv = projectQkv(weights, layer, stream);
    keysValues.push(qkv.ref.slice([], [D, 3 * D]));
    const [q, k, v] = [0, 1, 2].map((i) =>
      (i < 2 ? qkv.ref : qkv).slice([], [i * D, (i + 1) * D]).reshape([rows, H, headSize]),
    ) as [np.Array, np.Array, np.Array];
    const [pastK, pastV] = [2 * layer, 2 * layer + 1].map((i) =>
      past.ref.slice([], [], [i * D, (i + 1) * D]).reshape([rows, length, H, headSize]),
    ) as [np.Array, np.Array];
    // Axes: row 0, head 1, channel 2, place 3.
    const scores = np.where(
      isPast.ref,
      np.einsum(q.ref, [0, 1, 2], pastK, [0, 3, 1, 2], [0, 1, 3]).mul(scale),
      -1e9,
    );
    const selfScore = q.mul(k).sum(-1, { keepdims: true }).mul(scale);
    const top = np.maximum(np.max(scores.ref, -1, { keepdims: true }), selfScore.ref);
    const weight = np.exp(scores.sub(top.ref));
    const selfWeight = np.exp(selfScore.sub(top));
    const total = weight.ref.sum(-1, { keepdims: true }).add(selfWeight.ref);
    const mixed = np
      .einsum(weight, [0, 1, 3], pastV, [0, 3, 1, 2], [0, 1, 2])
      .add(selfWeight.mul(v))
      .div(total);
    stream = stream.add(
      np.matmul(mixed.reshape([rows, D]), tensor(weights, `blocks.${layer}.attention_out`)),
    );
    stream = feedForward(weights, layer, stream);
  }
  past.dispose();
  isPast.dispose();
  return [project(weights, stream), np.concatenate(keysValues, -1)];
}
