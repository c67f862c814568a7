import { RllmError } from '../../errors.js';
import type { Metrics, TrainerState } from '../../types/index.js';
import type { Backend, BackendCapabilities, BackendContext, TokenView } from '../backend.js';
import { createChatFormat } from './chat-format.js';
import { learningRateAt } from './learning-rate.js';
import { type LocalBatch, localBatch } from './local-batch.js';
import { readLocalCheckpoint, writeLocalCheckpoint } from './local-checkpoint.js';
import { LocalEngine } from './local-engine.js';
import type { LocalOptions } from './local-options.js';
import { DEFAULT_LOSSES, LOSS_NAMES, lossOfRole } from './loss.js';
import { microBatches } from './micro-batch.js';
import { type ModelShape, modelShape } from './model-shape.js';
import { type UpdateStep, updateMetrics } from './update-metrics.js';
import { updatePlan } from './update-plan.js';
import { Vocabulary } from './vocabulary.js';
import { allocateSharedModel, WorkerPool } from './worker-pool.js';
import type { SharedModel } from './worker-protocol.js';

export const LOCAL_CAPABILITIES: BackendCapabilities = {
  training: true,
  losses: LOSS_NAMES,
  defaultLosses: DEFAULT_LOSSES,
  gradientClipping: true,
  learningRateSchedules: ['constant', 'linear', 'cosine'],
  miniBatches: true,
  perTokenAdvantages: true,
  logprobs: true,
  checkpoints: true,
};

/** The longest sequences for which compiling begins at start: for a longer context the length in use is not known yet. */
const WARM_UP_LENGTH = 16;

/** Trains a small transformer from random weights in worker threads of this process. */
export class LocalBackend implements Backend<LocalBatch> {
  readonly name = 'local';
  readonly capabilities: BackendCapabilities = LOCAL_CAPABILITIES;
  readonly rolloutEngine: LocalEngine;
  readonly tokens: TokenView;
  private readonly options: LocalOptions;
  private readonly context: BackendContext;
  private readonly shape: ModelShape;
  private readonly memory: SharedModel;
  private readonly endOfTurn: number | undefined;
  private pool: WorkerPool | undefined;
  private isShutDown = false;
  private steps = 0;

  constructor(options: LocalOptions, context: BackendContext) {
    this.options = options;
    this.context = context;
    this.shape = modelShape(options);
    this.memory = allocateSharedModel(this.shape);
    const vocabulary = new Vocabulary(options.vocabulary);
    const format = createChatFormat(vocabulary, options.vocabulary);
    this.endOfTurn = format.endOfTurn;
    this.tokens = { decode: (id) => vocabulary.word(id) };
    this.rolloutEngine = new LocalEngine(format, this.shape.contextLength, {
      sample: (requests) => this.running().sample(requests),
      abort: (id) => this.pool?.abort(id),
    });
  }

  get weightVersion(): number {
    return this.steps;
  }

  async start(): Promise<void> {
    if (this.isShutDown)
      throw new RllmError('BACKEND_FAILED', 'The local backend was shut down before it started.');
    const { config } = this.context;
    const { words, separator } = this.options.vocabulary;
    const setup = {
      shape: this.shape,
      words,
      separator,
      endOfTurn: this.endOfTurn,
      seed: config.trainer.seed,
      memory: this.memory,
    };
    const pool = new WorkerPool(setup, this.options.workers, {
      sampled: (results) => this.rolloutEngine.take(results),
      failed: (error) => this.rolloutEngine.fail(error),
    });
    this.pool = pool;
    await pool.initialize();
    await pool.refresh(this.steps);
    if (this.shape.contextLength > WARM_UP_LENGTH + 1) return;
    pool.warmUp(this.shape.contextLength - 1, lossOfRole('', config.algorithm));
  }

  transformToBackendBatch(state: TrainerState): LocalBatch {
    return localBatch(state.trajectoryGroups, this.shape);
  }

  /** Nothing is left to find out: the log-probs came with the samples. */
  async processBatch(): Promise<Metrics> {
    return {};
  }

  async updatePolicy(state: TrainerState<LocalBatch>): Promise<Metrics> {
    const { algorithm, trainer } = this.context.config;
    const batch = state.backendBatch;
    if (batch === undefined) return {};
    const learningRate = learningRateAt(state.globalStep, {
      peak: algorithm.learningRate ?? this.options.learningRate,
      schedule: algorithm.lrSchedule,
      warmupStepsRatio: algorithm.warmupStepsRatio,
      totalSteps: state.totalSteps,
    });
    const done: UpdateStep[] = [];
    for (const part of updatePlan(batch.trajectories, algorithm, trainer.seed, state.globalStep)) {
      const batches = part.trees.flatMap((tree) => microBatches(tree, this.shape.vocabularySize));
      const { gradientNorm, sums } = await this.running().step(batches, 1 / part.tokens, {
        ...algorithm.adam,
        learningRate,
        maxGradNorm: algorithm.maxGradNorm,
        step: this.steps + 1,
      });
      if (!Number.isFinite(gradientNorm)) {
        throw new RllmError(
          'BACKEND_FAILED',
          `The gradient of step ${state.globalStep} is not finite (norm ${gradientNorm}); the weights were left as they are.`,
        );
      }
      this.steps++;
      await this.running().refresh(this.steps);
      done.push({ part, gradientNorm, sums });
    }
    return { ...batch.metrics, ...updateMetrics(batch, done, learningRate) };
  }

  async saveCheckpoint(directory: string): Promise<void> {
    await writeLocalCheckpoint(directory, this.identity(), this.memory, this.steps);
  }

  async loadCheckpoint(directory: string): Promise<void> {
    this.steps = await readLocalCheckpoint(directory, this.identity(), this.memory);
    await this.running().refresh(this.steps);
  }

  async shutdown(): Promise<void> {
    this.isShutDown = true;
    await this.pool?.terminate();
  }

  private identity(): { shape: ModelShape; words: readonly string[] } {
    return { shape: this.shape, words: this.options.vocabulary.words };
  }

  private running(): WorkerPool {
    if (this.pool === undefined)
      throw new RllmError('BACKEND_FAILED', 'The local backend was used before it was started.');
    return this.pool;
  }
}
