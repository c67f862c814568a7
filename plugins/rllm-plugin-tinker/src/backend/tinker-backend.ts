import { resolve } from 'node:path';
import {
  type Backend,
  type BackendCapabilities,
  type BackendContext,
  type Metrics,
  miniBatches,
  RllmError,
  type RolloutEngine,
  type RowBatch,
  rowBatch,
  type TokenLimits,
  type TokenView,
  type TrainerState,
  type Trajectory,
  trajectoryFault,
  type UntrainableReason,
} from 'rllm-sdk';
import {
  HOSTED_PROFILE,
  type SamplingClient,
  type ServiceClient,
  TinkerError,
  type TrainingClient,
} from 'rllm-tinker-client';
import { Renderer } from '../renderer/index.js';
import { adamParams } from './adam-params.js';
import { addressOf, serviceOf } from './connect.js';
import { capabilitiesOf, namedEngine } from './engine-capabilities.js';
import { engineFailure } from './engine-failure.js';
import { assertEngineCan } from './engine-faults.js';
import { assertModelIsServed, type ModelLimits, modelLimits } from './model-limits.js';
import { writeReferenceLogprobs } from './reference-logprobs.js';
import { compareLogprobs, judgeAgreement, sampleTokens } from './self-check.js';
import { substepOf } from './substep.js';
import { takeUpdate } from './take-update.js';
import { checkpointFault, readTinkerCheckpoint, writeTinkerCheckpoint } from './tinker-checkpoint.js';
import { type Policy, TinkerEngine } from './tinker-engine.js';
import type { TinkerOptions } from './tinker-options.js';
import { updateMetrics } from './update-metrics.js';

/** What there is once the backend was started. */
interface Live {
  readonly service: ServiceClient;
  readonly renderer: Renderer;
  readonly limits: ModelLimits;
  readonly engine: TinkerEngine;
  /** Samples from the base model, where somebody wants its log-probs. */
  readonly base: SamplingClient | undefined;
  training: TrainingClient;
}

/** Trains a LoRA adapter of a real model through the Tinker API. */
export class TinkerBackend implements Backend<RowBatch> {
  readonly name = 'tinker';
  readonly rolloutEngine: RolloutEngine = {
    getModelResponse: (call) => this.#running().engine.getModelResponse(call),
  };
  readonly tokens: TokenView = { decode: (id) => this.#running().renderer.decode(id) };
  readonly #options: TinkerOptions;
  readonly #context: BackendContext;
  readonly #saves = new Map<string, number>();
  #service: ServiceClient | undefined;
  #live: Live | undefined;
  #steps = 0;
  #isShutDown = false;
  #hasWarned = false;

  constructor(options: TinkerOptions, context: BackendContext) {
    this.#options = options;
    this.#context = context;
  }

  /** Of the engine; until it is known which one it is, those of the hosted service, which has the most. */
  get capabilities(): BackendCapabilities {
    const engine = this.#live?.training.engine ?? namedEngine(this.#options.engine) ?? HOSTED_PROFILE;
    return capabilitiesOf(engine);
  }

  get weightVersion(): number {
    return this.#steps;
  }

  /**
   * Connects, checks that the engine can do what the config asks, creates the model and its first sampler, and compares the two.
   *
   * @throws RllmError CAPABILITY_MISSING, CONFIG_INVALID, BACKEND_FAILED.
   */
  async start(): Promise<void> {
    const { config, baseDirectory = '', logger } = this.#context;
    const options = this.#options;
    const renderer = await Renderer.open(
      resolve(baseDirectory, options.tokenizer),
      options.templateVariables,
    );
    try {
      const service = serviceOf(options, logger);
      this.#service = service;
      if (this.#isShutDown) await service.close();
      const profile = await service.connect();
      assertEngineCan(config, options, profile);
      const offered = await service.capabilities();
      assertModelIsServed(options, offered);
      const limits = modelLimits(options, offered, renderer.folder);
      const training = await service.createTrainingClient({
        baseModel: options.model,
        lora: { ...options.lora, seed: options.lora.seed ?? config.trainer.seed },
        ...vocabulary(limits),
      });
      const sampler = await training.saveWeightsAndGetSamplingClient();
      const wantsBase = this.#context.requirements?.has('referenceLogprobs') === true;
      const base = wantsBase
        ? await service.samplingClient({ baseModel: options.model, ...vocabulary(limits) })
        : undefined;
      const engine = new TinkerEngine(renderer, limits, config.trainer.seed, { sampler, weightVersion: 0 });
      this.#live = { service, renderer, limits, engine, base, training };
      await this.#checkItself(sampler);
    } catch (thrown) {
      throw engineFailure(`Starting on ${addressOf(options)}`, thrown);
    }
    this.#warnOfSampling();
  }

  trajectoryFault(trajectory: Trajectory): UntrainableReason | undefined {
    return trajectoryFault(trajectory, this.#tokenLimits());
  }

  transformToBackendBatch({ trajectoryGroups }: TrainerState): RowBatch {
    const batch = rowBatch(trajectoryGroups, this.#tokenLimits());
    const breaks = batch.trajectories.reduce((sum, { rows }) => sum + Math.max(rows.length - 1, 0), 0);
    return { ...batch, metrics: { ...batch.metrics, 'batch/prefix_breaks': breaks } };
  }

  /** The log-probs came with the samples; only the base model's remain to be found out, where somebody wants them. */
  async processBatch({ backendBatch }: TrainerState<RowBatch>): Promise<Metrics> {
    const { engine, base } = this.#running();
    const { rewrittenPrompts, malformedCalls } = engine.takeCounts();
    if (rewrittenPrompts > 0) this.#warnOfRewriting(rewrittenPrompts);
    const metrics: Metrics = {
      'episode/rewritten_prompts': rewrittenPrompts,
      'episode/malformed_tool_calls': malformedCalls,
    };
    if (base === undefined || backendBatch === undefined) return metrics;
    try {
      return { ...metrics, ...(await writeReferenceLogprobs(backendBatch.trajectories, base)) };
    } catch (thrown) {
      throw engineFailure("Computing the base model's log-probs", thrown);
    }
  }

  /**
   * Every optimiser step of the batch, then a sampler of the new weights. Where training changes what a sampler gives, calls made
   * meanwhile wait for the new one.
   */
  async updatePolicy(state: TrainerState<RowBatch>): Promise<Metrics> {
    const { algorithm, trainer } = this.#context.config;
    const { backendBatch: batch, globalStep } = state;
    if (batch === undefined) return {};
    const { training, engine } = this.#running();
    const substeps = miniBatches(batch.trajectories, algorithm, trainer.seed, globalStep)
      .map((part) => substepOf(part, algorithm, training.engine))
      .filter(({ length }) => length > 0);
    if (substeps.length === 0) return batch.metrics;
    const adam = adamParams(algorithm, state, this.#options.learningRate);
    const update = takeUpdate(training, substeps, adam, () => {
      this.#steps++;
    });
    const policy = update.then(({ sampler }): Policy => ({ sampler, weightVersion: this.#steps }));
    if (!training.engine.samplersKeepWeights) engine.use(policy);
    try {
      engine.use(await policy);
      const { steps, refreshSeconds } = await update;
      return {
        ...batch.metrics,
        ...updateMetrics(batch.trajectories, steps, adam.learningRate),
        'time/refresh_sampler_s': refreshSeconds,
      };
    } catch (thrown) {
      throw engineFailure(`The update of step ${globalStep}`, thrown);
    }
  }

  /** The weights stay at the engine; the folder gets a file that says where. */
  async saveCheckpoint(directory: string): Promise<void> {
    const { training } = this.#running();
    const name = this.#saveName();
    try {
      const [state, sampler] = await Promise.all([
        training.saveState(name),
        training.saveWeightsForSampler(name),
      ]);
      await writeTinkerCheckpoint(directory, {
        statePath: state.path,
        samplerPath: sampler.kind === 'named' ? sampler.path : sampler.samplingSessionId,
        baseModel: this.#options.model,
        loraRank: this.#options.lora.rank,
        weightVersion: this.#steps,
        engine: training.engine.name,
        modelId: training.modelId,
      });
    } catch (thrown) {
      throw engineFailure(`Saving the checkpoint "${name}"`, thrown);
    }
  }

  /** A new model with the checkpoint's weights and optimizer, since engines load into new models only; the one before is given back. */
  async loadCheckpoint(directory: string): Promise<void> {
    const live = this.#running();
    const { model, lora } = this.#options;
    const checkpoint = await readTinkerCheckpoint(directory, { baseModel: model, loraRank: lora.rank });
    try {
      await live.training.unload().catch((thrown: unknown) => {
        this.#context.logger.warn(engineFailure('Giving the model before it back', thrown).message);
      });
      live.training = await live.service.createTrainingClientFromState(checkpoint.statePath, {
        optimizer: true,
        ...vocabulary(live.limits),
      });
      const sampler = await live.training.saveWeightsAndGetSamplingClient();
      this.#saves.clear();
      this.#steps = checkpoint.weightVersion;
      live.engine.use({ sampler, weightVersion: this.#steps });
    } catch (thrown) {
      if (TinkerError.isInstance(thrown) && thrown.code === 'NOT_FOUND')
        throw checkpointFault(directory, `the engine no longer has ${checkpoint.statePath}`, thrown);
      throw engineFailure(`Loading ${checkpoint.statePath}`, thrown);
    }
  }

  async shutdown(): Promise<void> {
    this.#isShutDown = true;
    await this.#service?.close();
  }

  /** Whether sampling and training give the same log-probs. */
  async #checkItself(sampler: SamplingClient): Promise<void> {
    const { selfCheck: mode, selfCheckTolerance: tolerance } = this.#options;
    if (mode === 'off') return;
    const { renderer, training } = this.#running();
    const sampled = await sampleTokens(sampler, renderer.promptOf([{ role: 'user', content: 'Hello' }]));
    judgeAgreement(await compareLogprobs(training, sampled), {
      mode,
      tolerance,
      logger: this.#context.logger,
    });
  }

  /** Names are the engine's for good, so that weights saved a second time get another. */
  #saveName(): string {
    const name = String(this.#steps).padStart(6, '0');
    const times = (this.#saves.get(name) ?? 0) + 1;
    this.#saves.set(name, times);
    return times === 1 ? name : `${name}-${times}`;
  }

  #warnOfSampling(): void {
    const { temperature, topP } = this.#context.config.rollout.train;
    if (temperature === 1 && topP === 1) return;
    this.#context.logger.warn(
      `rollout.train has temperature ${temperature} and topP ${topP}, but engines give log-probs of temperature 1 and topP 1: ` +
        'probability ratios will be off from the first step. Set both to 1 for training.',
    );
  }

  #warnOfRewriting(prompts: number): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#context.logger.warn(
      `The chat template rewrites earlier replies, for instance drops their thinking: ${prompts} prompts of this step do not go on from the ` +
        'tokens that were sampled, so that their steps train as sequences of their own.',
    );
  }

  #tokenLimits(): TokenLimits {
    const { maxLength, vocabSize } = this.#running().limits;
    return { vocabularySize: vocabSize ?? Number.POSITIVE_INFINITY, contextLength: maxLength };
  }

  #running(): Live {
    if (this.#live !== undefined) return this.#live;
    throw new RllmError('BACKEND_FAILED', 'The tinker backend was used before it was started.');
  }
}

function vocabulary({ vocabSize }: ModelLimits): { readonly vocabSize?: number } {
  return vocabSize === undefined ? {} : { vocabSize };
}
