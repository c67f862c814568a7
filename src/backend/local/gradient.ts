import { jit, lax, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import { type Loss, lossKey } from '../loss.js';
import type { CriticSettings } from './critic.js';
import { createEmbedding } from './embedding.js';
import { type LossSums, sumLoss, sumValueLoss } from './loss-sums.js';
import type { MicroBatch } from './micro-batch.js';
import { type ModelShape, modelParameters } from './model-shape.js';
import { finalNorm, projectValues, tensor, treeLogits, treeStream, type Weights } from './transformer.js';

/** Computes gradients of micro-batches. Each loss and shape is compiled when it first comes up. */
export interface GradientProgram {
  /**
   * Adds the gradient of the micro-batch's summed loss, that of the critic included, to `gradient`, flat like `flatWeights`.
   *
   * @param weights  kept.
   * @returns        sums over the trained tokens, for metrics.
   */
  add(weights: Weights, flatWeights: Float32Array, batch: MicroBatch, gradient: Float32Array): LossSums;
}

/** @param critic  how the value head is trained; for a shape that has one. */
export function createGradientProgram(shape: ModelShape, critic?: CriticSettings): GradientProgram {
  const { dModel: D, vocabularySize: V } = shape;
  const embedding = createEmbedding(shape);
  const parameters = modelParameters(shape);
  const compiled = new Map<string, Compiled>();

  const programFor = (loss: Loss): Compiled => {
    const key = lossKey(loss);
    let program = compiled.get(key);
    if (program === undefined) {
      program = compile(shape, loss, critic);
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
      const targets = batch.values;
      const [logprobs, values, weightGradients, embeddedGradient] = programFor(batch.loss)(
        tree.ref(weights),
        np.array(embedded, { shape: [entries, D] }),
        np.array(batch.ends, { shape: [rows, length], dtype: np.int32 }),
        perToken(batch.sampledLogprobs),
        perToken(batch.positive),
        perToken(batch.negative),
        perToken(batch.counts),
        ...(targets === undefined ? [] : [targets.means, targets.counts, targets.before]).map((perContext) =>
          np.array(perContext, { shape: [entries] }),
        ),
      );
      const sums = {
        ...sumLoss(batch, logprobs.dataSync()),
        ...(targets === undefined || critic === undefined || values === undefined
          ? {}
          : sumValueLoss(targets, values.dataSync(), critic.clip)),
      };
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
  ...valueTargets: np.Array[],
];

/** Log-probs, the critic's values if there are any, gradients of the weights, gradient of the embedded tokens. */
type Compiled = (...args: LossArguments) => [np.Array, np.Array | undefined, Weights, np.Array];

function compile(shape: ModelShape, loss: Loss, critic: CriticSettings | undefined): Compiled {
  return critic === undefined ? compilePolicy(shape, loss) : compileWithCritic(shape, loss, critic);
}

function compilePolicy(shape: ModelShape, loss: Loss): Compiled {
  const totalLoss = (
    ...[weights, embedded, ends, sampled, positive, negative, counts]: LossArguments
  ): [np.Array, np.Array] => {
    const logprobs = nn.logSoftmax(treeLogits(shape, weights, embedded, ends), -1);
    return [lossSum(loss, logprobs.ref, sampled, positive, negative, counts), logprobs];
  };
  const withGradient = valueAndGrad(totalLoss, { argnums: [0, 1], hasAux: true });
  const run = jit((...args: LossArguments): [np.Array, Weights, np.Array] => {
    const [[value, logprobs], [weightGradients, embeddedGradient]] = withGradient(...args);
    value.dispose();
    return [logprobs, weightGradients, embeddedGradient];
  });
  return (...args) => {
    const [logprobs, weightGradients, embeddedGradient] = run(...args) as [np.Array, Weights, np.Array];
    return [logprobs, undefined, weightGradients, embeddedGradient];
  };
}

/** The policy's loss and `coefficient` times the critic's. */
function compileWithCritic(shape: ModelShape, loss: Loss, critic: CriticSettings): Compiled {
  const totalLoss = (
    ...[weights, embedded, ends, sampled, positive, negative, counts, ...targets]: LossArguments
  ): [np.Array, [np.Array, np.Array]] => {
    const hidden = finalNorm(weights, treeStream(shape, weights, embedded, ends));
    const values = projectValues(weights, critic.detach ? lax.stopGradient(hidden.ref) : hidden.ref);
    const logprobs = nn.logSoftmax(np.matmul(hidden, tensor(weights, 'head')), -1);
    const policyLoss = lossSum(loss, logprobs.ref, sampled, positive, negative, counts);
    const criticLoss = valueLossSum(critic, values.ref, targets).mul(critic.coefficient);
    return [policyLoss.add(criticLoss), [logprobs, values]];
  };
  const withGradient = valueAndGrad(totalLoss, { argnums: [0, 1], hasAux: true });
  return jit((...args: LossArguments): [np.Array, np.Array, Weights, np.Array] => {
    const [[value, [logprobs, values]], [weightGradients, embeddedGradient]] = withGradient(...args);
    value.dispose();
    return [logprobs, values, weightGradients, embeddedGradient];
  }) as Compiled;
}

/** `valueLoss` of `critic.ts`, summed, in jax-js. Consumes its arrays, each [n]. */
function valueLossSum({ clip }: CriticSettings, values: np.Array, targets: readonly np.Array[]): np.Array {
  const [means, counts, before] = targets as [np.Array, np.Array, np.Array];
  if (clip === null) {
    before.dispose();
    return np.square(values.sub(means)).mul(counts).sum();
  }
  const kept = before.ref.add(np.clip(values.ref.sub(before), -clip, clip));
  const errors = np.maximum(np.square(values.sub(means.ref)), np.square(kept.sub(means)));
  return errors.mul(counts).sum();
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
