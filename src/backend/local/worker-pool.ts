import { performance } from 'node:perf_hooks';
import type { Loss } from '../loss.js';
import type { AdamSettings } from './adam.js';
import type { EvaluationBatch } from './evaluation.js';
import { addLossSums, type LossSums, NO_LOSS_SUMS } from './loss-sums.js';
import type { MicroBatch } from './micro-batch.js';
import { type ModelShape, parameterCount } from './model-shape.js';
import type { SampleRequest } from './sampler.js';
import type { FrozenModels, SharedModel, WorkerSetup } from './worker-protocol.js';
import { WorkerThread, type WorkerThreadEvents } from './worker-thread.js';

/** Lanes of a gradient, and so the most workers that can share one. Fixed: the order of addition depends on it. */
const LANES = 4;
/** Another worker helps with training once it has taken this long: before that, compiling for it would cost more than it saves. */
const HELP_AFTER_MS = 1000;

/** Memory for a model's weights, moments and gradients. */
export function allocateSharedModel(shape: ModelShape): SharedModel {
  const buffer = (): SharedArrayBuffer => new SharedArrayBuffer(4 * parameterCount(shape));
  return {
    weights: buffer(),
    firstMoment: buffer(),
    secondMoment: buffer(),
    lanes: Array.from({ length: LANES }, buffer),
  };
}

/** The worker threads and who does what: the first samples, the last trains, and the others help with large gradients. */
export class WorkerPool {
  private readonly threads: readonly WorkerThread[];
  private readonly sampler: WorkerThread;
  private readonly trainer: WorkerThread;
  private readonly helpAfterMs: number;
  private trainingMs = 0;

  constructor(
    setup: WorkerSetup,
    count: number,
    events: WorkerThreadEvents,
    helpAfterMs: number = HELP_AFTER_MS,
  ) {
    this.helpAfterMs = helpAfterMs;
    this.threads = Array.from({ length: count }, () => new WorkerThread(setup, events));
    this.sampler = this.threads[0] as WorkerThread;
    this.trainer = this.threads.at(-1) as WorkerThread;
  }

  /** Fills the shared weights from the seed. */
  async initialize(): Promise<void> {
    await this.trainer.call('initialize', null);
  }

  /** Compiles for sequences of up to `depth` tokens in the background. */
  warmUp(depth: number, loss: Loss): void {
    const isShared = this.sampler === this.trainer;
    const warmUps = [
      this.sampler.call('warmUp', { depth, sampling: true, loss: isShared ? loss : null }),
      ...(isShared ? [] : [this.trainer.call('warmUp', { depth, sampling: false, loss })]),
    ];
    // A lost thread is reported by its events.
    for (const warmUp of warmUps) warmUp.catch(() => undefined);
  }

  /** Has every worker take over the shared weights. */
  async refresh(version: number): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.call('refresh', { version })));
  }

  /** Has the training worker take over the shared weights of a frozen model. */
  async freeze(model: keyof FrozenModels): Promise<void> {
    await this.trainer.call('freeze', { model });
  }

  /** The critic's value before each token that the batches ask about. */
  values(batches: readonly EvaluationBatch[]): Promise<readonly Float64Array[]> {
    return this.trainer.call('values', { batches });
  }

  /** Log-prob of each token that the batches ask about under a frozen model. */
  logprobs(model: keyof FrozenModels, batches: readonly EvaluationBatch[]): Promise<readonly Float64Array[]> {
    return this.trainer.call('logprobs', { model, batches });
  }

  sample(requests: readonly SampleRequest[]): void {
    this.sampler.sample(requests);
  }

  abort(id: number): void {
    this.sampler.abort(id);
  }

  /**
   * Gradient of the sum of the micro-batches' losses, times `scale`, then one Adam step on the shared weights.
   *
   * @returns  the gradient's norm before clipping; where it is not finite, nothing changed.
   */
  async step(
    batches: readonly MicroBatch[],
    scale: number,
    adam: AdamSettings,
  ): Promise<{ readonly gradientNorm: number; readonly sums: LossSums }> {
    const lanes = Math.min(LANES, batches.length);
    const waiting = Array.from({ length: lanes }, (_, lane) => lane);
    const sums: LossSums[] = new Array(batches.length).fill(NO_LOSS_SUMS);
    const work = async (thread: WorkerThread): Promise<void> => {
      for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift()) {
        const indices = [...batches.keys()].filter((i) => i % LANES === lane);
        const own = indices.map((i) => batches[i] as MicroBatch);
        const answers = await thread.call('gradient', { lane, batches: own });
        for (const [k, i] of indices.entries()) sums[i] = answers[k] as LossSums;
      }
    };
    const start = performance.now();
    const helpers =
      this.trainingMs < this.helpAfterMs ? [] : this.threads.filter((thread) => thread !== this.trainer);
    await Promise.all([this.trainer, ...helpers].map(work));
    if (lanes > 1) this.trainingMs += performance.now() - start;
    const gradientNorm = await this.trainer.call('update', { lanes, scale, adam });
    return { gradientNorm, sums: sums.reduce(addLossSums, NO_LOSS_SUMS) };
  }

  async terminate(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.terminate()));
  }
}
