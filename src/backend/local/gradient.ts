import { jit, lax, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import { createEmbedding } from './embedding.js';
import { type Loss, lossKey } from './loss.js';
import { type LossSums, sumLoss } from './loss-sums.js';
import type { MicroBatch } from './micro-batch.js';
import { type ModelShape, modelParameters } from './model-shape.js';
import { treeLogits, type Weights } from './transformer.js';

/** Computes gradients of micro-batches. Each loss and shape is compiled when it first comes up. */
export interface GradientProgram {
  /**
   * Adds the gradient of the micro-batch's summed loss to `gradient`, flat like `flatWeights`.
   *
   * @param weights  kept.
   * @returns        sums over the trained tokens, for metrics.
   */
  add(weights: Weights, flatWeights: Float32Array, batch: MicroBatch, gradient: Float32Array): LossSums;
}

export function createGradientProgram(shape: ModelShape): GradientProgram {
  const { dModel: D, vocabularySize: V } = shape;
  const embedding = createEmbedding(shape);
  const parameters = modelParameters(shape);
  const compiled = new Map<string, Compiled>();

  const programFor = (loss: Loss): Compiled => {
    const key = lossKey(loss);
    let program = compiled.get(key);
    if (program === undefined) {
      program = compile(shape, loss);
      compiled.set(key, program);
    }
    return program;
  };

  return {
    add(weights, flatWeights, batch, gradient) {
      const { rows, length, tokens, positions } = batch;
      const entries = rows * length;
      const embedded = new Float32Array(entries * D);
      embedding.lookUp(flatWeights, tokens, positions, embedded);
      const perToken = (values: Float32Array): np.Array => np.array(values, { shape: [entries, V] });
      const [logprobs, weightGradients, embeddedGradient] = programFor(batch.loss)(
        tree.ref(weights),
        np.array(embedded, { shape: [entries, D] }),
        np.array(batch.ends, { shape: [rows, length], dtype: np.int32 }),
        perToken(batch.sampledLogprobs),
        perToken(batch.positive),
        perToken(batch.negative),
        perToken(batch.counts),
      );
      const sums = sumLoss(batch, logprobs.dataSync());
      embedding.addGradient(embeddedGradient.dataSync(), tokens, positions, gradient);
      for (const { name, offset } of parameters) {
        const values = weightGradients[name]?.dataSync();
        if (values !== undefined) addAt(gradient, offset, values);
      }
      return sums;
    },
  };
}

function addAt(sum: Float32Array, offset: number, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++)
    sum[offset + i] = (sum[offset + i] as number) + (values[i] as number);
}

type LossArguments = [
  weights: Weights,
  embedded: np.Array,
  ends: np.Array,
  sampledLogprobs: np.Array,
  positive: np.Array,
  negative: np.Array,
  counts: np.Array,
];

/** Log-probs, gradients of the weights, gradient of the embedded tokens. */
type Compiled = (...args: LossArguments) => [np.Array, Weights, np.Array];

function compile(shape: ModelShape, loss: Loss): Compiled {
  const totalLoss = (...[weights, embedded, ends, ...sampled]: LossArguments): [np.Array, np.Array] => {
    const logprobs = nn.logSoftmax(treeLogits(shape, weights, embedded, ends), -1);
    return [lossSum(loss, logprobs.ref, ...sampled), logprobs];
  };
  const withGradient = valueAndGrad(totalLoss, { argnums: [0, 1], hasAux: true });
  return jit((...args: LossArguments): [np.Array, Weights, np.Array] => {
    const [[value, logprobs], [weightGradients, embeddedGradient]] = withGradient(...args);
    value.dispose();
    return [logprobs, weightGradients, embeddedGradient];
  }) as Compiled;
}

/** `tokenLoss` of `loss.ts`, summed, in jax-js. Consumes its arrays, each [n, V]. */
function lossSum(
  loss: Loss,
  logp: np.Array,
  sampledLogprobs: np.Array,
  positive: np.Array,
  negative: np.Array,
  counts: np.Array,
): np.Array {
  if (loss.name !== 'dro') counts.dispose();
  switch (loss.name) {
    case 'importance_sampling':
      return np.exp(logp.sub(sampledLogprobs)).mul(positive.add(negative)).sum().neg();
    case 'ppo': {
      const ratio = np.exp(logp.sub(sampledLogprobs));
      const gains = positive.mul(np.minimum(ratio.ref, loss.high));
      return gains
        .add(negative.mul(np.maximum(ratio, loss.low)))
        .sum()
        .neg();
    }
    case 'cispo': {
      const ratio = np.clip(np.exp(logp.ref.sub(sampledLogprobs)), loss.low, loss.high);
      return lax.stopGradient(ratio).mul(positive.add(negative)).mul(logp).sum().neg();
    }
    case 'dro': {
      const distance = np
        .square(logp.ref.sub(sampledLogprobs))
        .mul(counts)
        .mul(0.5 * loss.beta);
      return positive.add(negative).mul(logp).sub(distance).sum().neg();
    }
    case 'cross_entropy':
      sampledLogprobs.dispose();
      return positive.add(negative).mul(logp).sum().neg();
  }
}
