import type { TokenLoss } from './token-losses.js';

/** Settings of one optimizer step, by the protocol's names. */
export interface WireAdam {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay?: number;
  readonly grad_clip_norm?: number;
}

/** Everything that a checkpoint of training state holds. */
export interface BigramState {
  readonly weights: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly steps: number;
}

/**
 * A language model of one table: the log-probs of the next token are the log-softmax of the row of the last one. Small enough to be
 * exact, and able to learn any task whose answer depends on one token.
 */
export class BigramModel {
  readonly vocabSize: number;
  weights: Float64Array;
  #first: Float64Array;
  #second: Float64Array;
  #gradient: Float64Array;
  #sequences = 0;
  #steps = 0;

  /** Weights drawn from the seed, uniform in ±`scale`. */
  constructor(vocabSize: number, seed: number, scale = 0.5) {
    this.vocabSize = vocabSize;
    const size = vocabSize * vocabSize;
    const random = randomOf(seed);
    this.weights = Float64Array.from({ length: size }, () => scale * (2 * random() - 1));
    this.#first = new Float64Array(size);
    this.#second = new Float64Array(size);
    this.#gradient = new Float64Array(size);
  }

  /** Log-probs of all tokens after `token`, shape [vocabSize]. */
  logprobs(token: number): Float64Array {
    const row = this.weights.subarray(token * this.vocabSize, (token + 1) * this.vocabSize);
    const largest = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    const log = largest + Math.log(row.reduce((sum, x) => sum + Math.exp(x - largest), 0));
    return row.map((x) => x - log);
  }

  /** Adds the gradient of one sequence: slopes[i] is the loss's derivative by the log-prob of targets[i] after inputs[i]. */
  accumulate(inputs: readonly number[], targets: readonly number[], losses: readonly TokenLoss[]): void {
    this.#sequences++;
    losses.forEach(({ slope }, i) => {
      if (slope === 0) return;
      const token = inputs[i]!;
      const logprobs = this.logprobs(token);
      for (let j = 0; j < this.vocabSize; j++) {
        const indicator = j === targets[i] ? 1 : 0;
        this.#gradient[token * this.vocabSize + j]! += slope * (indicator - Math.exp(logprobs[j]!));
      }
    });
  }

  /** AdamW on what was accumulated since the last step. Returns the norm of the gradient before clipping. */
  step(adam: WireAdam, reduction: 'token-sum' | 'sequence-mean'): number {
    const scale = reduction === 'sequence-mean' ? 1 / Math.max(this.#sequences, 1) : 1;
    const norm = scale * Math.sqrt(this.#gradient.reduce((sum, x) => sum + x * x, 0));
    const limit = adam.grad_clip_norm ?? 0;
    const clip = limit > 0 && norm > limit ? limit / norm : 1;
    const t = ++this.#steps;
    for (let k = 0; k < this.weights.length; k++) {
      const gradient = this.#gradient[k]! * scale * clip;
      this.#first[k] = adam.beta1 * this.#first[k]! + (1 - adam.beta1) * gradient;
      this.#second[k] = adam.beta2 * this.#second[k]! + (1 - adam.beta2) * gradient * gradient;
      const move =
        this.#first[k]! /
        (1 - adam.beta1 ** t) /
        (Math.sqrt(this.#second[k]! / (1 - adam.beta2 ** t)) + adam.eps);
      this.weights[k]! -= adam.learning_rate * (move + (adam.weight_decay ?? 0) * this.weights[k]!);
    }
    this.#gradient.fill(0);
    this.#sequences = 0;
    return norm;
  }

  state(): BigramState {
    return {
      weights: this.weights.slice(),
      first: this.#first.slice(),
      second: this.#second.slice(),
      steps: this.#steps,
    };
  }

  /** Takes over a state; without the optimizer's part if asked so. */
  load(state: BigramState, optimizer: boolean): void {
    this.weights = state.weights.slice();
    if (!optimizer) return;
    this.#first = state.first.slice();
    this.#second = state.second.slice();
    this.#steps = state.steps;
  }
}

/** Numbers in [0, 1) from a seed: mulberry32. */
export function randomOf(seed: number): () => number {
  let a = seed | 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
