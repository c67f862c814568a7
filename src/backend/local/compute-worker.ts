import { adamStep } from './adam.js';
import { answerLogprobs, answerValues } from './evaluation.js';
import { createGradientProgram, type GradientProgram } from './gradient.js';
import { initializeWeights } from './initial-weights.js';
import type { LossSums } from './loss-sums.js';
import { emptyMicroBatch } from './micro-batch.js';
import { packedShape } from './packed-rows.js';
import { Sampler } from './sampler.js';
import {
  createForwardProgram,
  disposeWeights,
  type ForwardProgram,
  loadWeights,
  type Weights,
} from './transformer.js';
import { Vocabulary } from './vocabulary.js';
import type {
  FrozenModels,
  WorkerCall,
  WorkerCallName,
  WorkerCalls,
  WorkerSetup,
} from './worker-protocol.js';

/** A frozen model as taken over. */
interface LoadedModel {
  readonly vocabularySize: number;
  readonly program: ForwardProgram;
  readonly weights: Weights;
  readonly flatWeights: Float32Array;
}

/** Everything that computes, behind plain method calls. Lives in a worker thread, since its kernels block their thread. */
export class ComputeWorker {
  readonly sampler: Sampler;
  private readonly setup: WorkerSetup;
  private readonly gradients: GradientProgram;
  private readonly forward: ForwardProgram;
  private readonly frozen = new Map<keyof FrozenModels, LoadedModel>();
  private readonly shared: Float32Array;
  /** Own copy of the shared weights, so that an update elsewhere never shows half-done. */
  private flatWeights: Float32Array<ArrayBuffer>;
  private weights: Weights | undefined;

  constructor(setup: WorkerSetup) {
    this.setup = setup;
    this.gradients = createGradientProgram(setup.shape, setup.critic);
    this.forward = createForwardProgram(setup.shape);
    this.shared = new Float32Array(setup.memory.weights);
    this.flatWeights = new Float32Array(this.shared.length);
    const vocabulary = new Vocabulary(setup);
    this.sampler = new Sampler({ ...setup, decodeText: (ids) => vocabulary.decode(ids) });
  }

  answer(call: WorkerCall): WorkerCalls[WorkerCallName]['answer'] {
    switch (call.kind) {
      case 'initialize':
        return this.initialize();
      case 'refresh':
        return this.refresh(call.ask);
      case 'freeze':
        return this.freeze(call.ask);
      case 'values':
        return this.values(call.ask);
      case 'logprobs':
        return this.logprobs(call.ask);
      case 'warmUp':
        return this.warmUp(call.ask);
      case 'gradient':
        return this.gradient(call.ask);
      case 'update':
        return this.update(call.ask);
    }
  }

  private initialize(): null {
    initializeWeights(this.setup.shape, this.setup.seed, this.shared);
    return null;
  }

  private refresh({ version }: WorkerCalls['refresh']['ask']): null {
    this.flatWeights.set(this.shared);
    if (this.weights !== undefined) disposeWeights(this.weights);
    this.weights = loadWeights(this.setup.shape, this.flatWeights);
    this.sampler.useWeights(this.weights, this.flatWeights, version);
    return null;
  }

  private freeze({ model }: WorkerCalls['freeze']['ask']): null {
    const source = this.setup.frozen[model];
    if (source === undefined) throw new Error(`internal: this run has no ${model}`);
    const { shape } = source;
    const flatWeights = new Float32Array(source.weights).slice();
    const before = this.frozen.get(model);
    if (before !== undefined) disposeWeights(before.weights);
    this.frozen.set(model, {
      vocabularySize: shape.vocabularySize,
      program: before?.program ?? createForwardProgram(shape),
      weights: loadWeights(shape, flatWeights),
      flatWeights,
    });
    return null;
  }

  private values({ batches }: WorkerCalls['values']['ask']): Float64Array[] {
    return batches.map((batch) =>
      answerValues(batch, this.forward.values(this.loaded(), this.flatWeights, batch)),
    );
  }

  private logprobs({ model, batches }: WorkerCalls['logprobs']['ask']): Float64Array[] {
    const loaded = this.frozen.get(model);
    if (loaded === undefined) throw new Error(`internal: the ${model} was asked before it was taken over`);
    const { program, weights, flatWeights, vocabularySize } = loaded;
    return batches.map((batch) =>
      answerLogprobs(batch, program.logits(weights, flatWeights, batch), vocabularySize),
    );
  }

  private warmUp({ depth, loss, sampling }: WorkerCalls['warmUp']['ask']): null {
    if (sampling) this.sampler.warmUp(depth);
    if (loss === null) return null;
    const { rows, length } = packedShape(depth);
    const { vocabularySize, valueHead = false } = this.setup.shape;
    const batch = emptyMicroBatch(loss, rows, length, vocabularySize, valueHead);
    this.gradients.add(this.loaded(), this.flatWeights, batch, new Float32Array(this.shared.length));
    return null;
  }

  private gradient({ lane, batches }: WorkerCalls['gradient']['ask']): LossSums[] {
    const gradient = this.lane(lane).fill(0);
    return batches.map((batch) => this.gradients.add(this.loaded(), this.flatWeights, batch, gradient));
  }

  private update({ lanes, scale, adam }: WorkerCalls['update']['ask']): number {
    const { memory } = this.setup;
    const sum = new Float32Array(this.shared.length);
    for (let lane = 0; lane < lanes; lane++) {
      const part = this.lane(lane);
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (part[i] as number);
    }
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) * scale;
    return adamStep(
      {
        weights: this.shared,
        firstMoment: new Float32Array(memory.firstMoment),
        secondMoment: new Float32Array(memory.secondMoment),
      },
      sum,
      adam,
    );
  }

  private lane(index: number): Float32Array {
    const buffer = this.setup.memory.lanes[index];
    if (buffer === undefined) throw new Error(`internal: no gradient lane ${index}`);
    return new Float32Array(buffer);
  }

  private loaded(): Weights {
    if (this.weights === undefined)
      throw new Error('internal: a worker was asked to compute before it had weights');
    return this.weights;
  }
}
