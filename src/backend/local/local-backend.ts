import { RllmError } from '../../errors.js';
import type { UntrainableReason } from '../../filtering/index.js';
import type { Metrics, TrainerState, Trajectory } from '../../types/index.js';
import type { Backend, BackendCapabilities, BackendContext, TokenView } from '../backend.js';
import { learningRateAt } from '../learning-rate.js';
import { DEFAULT_LOSSES, LOSS_NAMES, lossOfRole } from '../loss.js';
import { type RowBatch, rowBatch } from '../row-batch.js';
import { trajectoryFault } from '../trajectory-rows.js';
import type { AdamSettings } from './adam.js';
import { createChatFormat } from './chat-format.js';
import { type Companions, companionsOf } from './companions.js';
import { copyWeights, frozenModels } from './frozen-model.js';
import { readLocalCheckpoint, type SavedModel, writeLocalCheckpoint } from './local-checkpoint.js';
import { LocalEngine } from './local-engine.js';
import type { LocalOptions } from './local-options.js';
import { microBatches } from './micro-batch.js';
import { type ModelShape, modelShape, parameterCount, policyShape } from './model-shape.js';
import { writeTokenSignals } from './token-signals.js';
import { type UpdateStep, updateMetrics } from './update-metrics.js';
import { updatePlan } from './update-plan.js';
import { Vocabulary } from './vocabulary.js';
import { allocateSharedModel, WorkerPool } from './worker-pool.js';
import type { FrozenModels, SharedModel } from './worker-protocol.js';

export const LOCAL_CAPABILITIES: BackendCapabilities = {
  training: true,
  losses: LOSS_NAMES,
  defaultLosses: DEFAULT_LOSSES,
  gradientClipping: true,
  learningRateSchedules: ['constant', 'linear', 'cosine'],
  miniBatches: true,
  perTokenAdvantages: true,
  logprobs: true,
  values: true,
  referenceLogprobs: true,
  teacherLogprobs: true,
  checkpoints: true,
};

/** The longest sequences for which compiling begins at start: for a longer context the length in use is not known yet. */
const WARM_UP_LENGTH = 16;

/** Trains a small transformer from random weights in worker threads of this process. */
export class LocalBackend implements Backend<RowBatch> {
  readonly name = 'local';
  readonly capabilities: BackendCapabilities = LOCAL_CAPABILITIES;
  readonly rolloutEngine: LocalEngine;
  readonly tokens: TokenView;
  private readonly options: LocalOptions;
  private readonly context: BackendContext;
  private readonly companions: Companions;
  private readonly shape: ModelShape;
  private readonly memory: SharedModel;
  private readonly endOfTurn: number | undefined;
  private frozen: FrozenModels = {};
  private pool: WorkerPool | undefined;
  private isShutDown = false;
  private steps = 0;

  constructor(options: LocalOptions, context: BackendContext) {
    this.options = options;
    this.context = context;
    this.companions = companionsOf(options, context.requirements ?? new Set());
    this.shape = modelShape(options, this.companions.critic !== undefined);
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
    const { shape, companions } = this;
    const { config, baseDirectory = '' } = this.context;
    const { words, separator } = this.options.vocabulary;
    this.frozen = await frozenModels(companions, { baseDirectory, words, shape });
    if (this.isShutDown)
      throw new RllmError('BACKEND_FAILED', 'The local backend was shut down before it started.');
    const setup = {
      shape,
      words,
      separator,
      endOfTurn: this.endOfTurn,
      seed: config.trainer.seed,
      memory: this.memory,
      frozen: this.frozen,
      ...(companions.critic === undefined ? {} : { critic: companions.critic }),
    };
    const pool = new WorkerPool(setup, this.options.workers, {
      sampled: (results) => this.rolloutEngine.take(results),
      failed: (error) => this.rolloutEngine.fail(error),
    });
    this.pool = pool;
    await pool.initialize();
    const { reference } = this.frozen;
    if (reference !== undefined && companions.reference === 'initial') {
      copyWeights(reference, this.memory.weights);
    }
    await this.refreshAll();
    if (shape.contextLength > WARM_UP_LENGTH + 1) return;
    pool.warmUp(shape.contextLength - 1, lossOfRole('', config.algorithm));
  }

  trajectoryFault(trajectory: Trajectory): UntrainableReason | undefined {
    return trajectoryFault(trajectory, this.shape);
  }

  transformToBackendBatch(state: TrainerState): RowBatch {
    return rowBatch(state.trajectoryGroups, this.shape);
  }

  /** The log-probs came with the samples: values and other models' log-probs remain to be found out, where somebody wants them. */
  async processBatch({ backendBatch }: TrainerState<RowBatch>): Promise<Metrics> {
    const rows = backendBatch?.trajectories.flatMap((trajectory) => trajectory.rows) ?? [];
    const { reference, teacher } = this.frozen;
    const wanted = {
      values: this.companions.critic !== undefined,
      reference: reference !== undefined,
      teacher: teacher !== undefined,
    };
    return writeTokenSignals(rows, wanted, this.running());
  }

  async updatePolicy(state: TrainerState<RowBatch>): Promise<Metrics> {
    const { algorithm, trainer } = this.context.config;
    const batch = state.backendBatch;
    if (batch === undefined) return {};
    const { critic } = this.companions;
    const adam = this.adamSettings(state);
    const done: UpdateStep[] = [];
    for (const part of updatePlan(batch.trajectories, algorithm, trainer.seed, state.globalStep, critic)) {
      const batches = part.trees.flatMap((tree) =>
        microBatches(tree, this.shape.vocabularySize, critic !== undefined),
      );
      const { gradientNorm, sums } = await this.running().step(batches, 1 / part.tokens, {
        ...adam,
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
    return { ...batch.metrics, ...updateMetrics(batch, done, adam.learningRate) };
  }

  async saveCheckpoint(directory: string): Promise<void> {
    await writeLocalCheckpoint(directory, this.saved(), this.steps);
  }

  async loadCheckpoint(directory: string): Promise<void> {
    this.steps = await readLocalCheckpoint(directory, this.saved());
    await this.refreshAll();
  }

  async shutdown(): Promise<void> {
    this.isShutDown = true;
    await this.pool?.terminate();
  }

  /** What the Adam steps of an update have in common. */
  private adamSettings({ globalStep, totalSteps }: TrainerState): Omit<AdamSettings, 'step'> {
    const {
      learningRate,
      lrSchedule: schedule,
      warmupStepsRatio,
      maxGradNorm,
      adam,
    } = this.context.config.algorithm;
    const rateOf = (peak: number): number =>
      learningRateAt(globalStep, { peak, schedule, warmupStepsRatio, totalSteps });
    const criticRate = this.companions.critic?.learningRate ?? null;
    return {
      ...adam,
      learningRate: rateOf(learningRate ?? this.options.learningRate),
      maxGradNorm,
      ...(criticRate === null
        ? {}
        : { tail: { offset: parameterCount(policyShape(this.shape)), learningRate: rateOf(criticRate) } }),
    };
  }

  /** Has the workers take over all weights. */
  private async refreshAll(): Promise<void> {
    const { reference, teacher } = this.frozen;
    await this.running().refresh(this.steps);
    if (reference !== undefined) await this.running().freeze('reference');
    if (teacher !== undefined) await this.running().freeze('teacher');
  }

  private saved(): SavedModel {
    const { shape, memory, frozen } = this;
    return { shape, words: this.options.vocabulary.words, memory, frozen };
  }

  private running(): WorkerPool {
    if (this.pool === undefined)
      throw new RllmError('BACKEND_FAILED', 'The local backend was used before it was started.');
    return this.pool;
  }
}
