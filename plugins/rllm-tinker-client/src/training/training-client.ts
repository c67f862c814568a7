import { validateCheckpointName } from '../checkpoint-path.js';
import type { SessionCore } from '../client-core.js';
import type { EngineProfile } from '../engine/engine-profile.js';
import { TinkerError } from '../errors.js';
import type { ApiFuture } from '../futures/api-future.js';
import { SamplingClient } from '../sampling/sampling-client.js';
import { submit } from '../transport/submit.js';
import type { AdamParams, OptimStepResult } from '../types/adam-params.js';
import type { CallOptions } from '../types/call-options.js';
import type { SavedSampler, SavedState } from '../types/checkpoint.js';
import type { Datum } from '../types/datum.js';
import type { ForwardResult } from '../types/forward-result.js';
import type { LossConfig, LossFn } from '../types/loss-fn.js';
import type { ModelInfo } from '../types/model-info.js';
import { decodeForwardResult, encodeBatch } from '../wire/forward-codec.js';
import { decodeModelInfo } from '../wire/json-model-info.js';
import { decodeOptimStep, encodeOptimStep } from '../wire/json-optim-step.js';
import { jsonPost } from '../wire/json-post.js';
import { decodeSavedSampler, decodeSavedState } from '../wire/json-saved.js';
import { checkOutputs } from './check-outputs.js';
import { chunkDatums } from './chunk-datums.js';
import { combineResults } from './combine-results.js';
import { ModelCalls } from './model-calls.js';
import { validateAdam } from './validate-adam.js';
import { validateDatums } from './validate-datums.js';

/** How a checkpoint is kept; refused where the engine would ignore it. */
export interface SaveOptions extends CallOptions {
  readonly ttlSeconds?: number;
  readonly overwrite?: boolean;
}

/**
 * One model in training. Calls are sent in the order in which they are made, each once the one before was accepted; results are awaited
 * apart, so that a step can be in flight as a whole. When a call cannot be sent, those made after it and not yet sent fail too, with
 * NOT_SUBMITTED.
 */
export class TrainingClient {
  readonly modelId: string;
  readonly #core: SessionCore;
  readonly #vocabSize: number | undefined;
  readonly #calls: ModelCalls;
  readonly #onUnload: () => void;

  /** @internal made by `ServiceClient.createTrainingClient` */
  constructor(core: SessionCore, modelId: string, vocabSize: number | undefined, onUnload: () => void) {
    this.#core = core;
    this.modelId = modelId;
    this.#vocabSize = vocabSize;
    this.#calls = new ModelCalls(core, modelId);
    this.#onUnload = onUnload;
  }

  get engine(): EngineProfile {
    return this.#core.engine;
  }

  /** Log-probs of the targets under the current weights, without gradients. */
  forward(
    data: readonly Datum[],
    lossFn: LossFn,
    lossConfig?: LossConfig,
    options: CallOptions = {},
  ): ApiFuture<ForwardResult> {
    return this.#forward(false, data, lossFn, lossConfig, options);
  }

  /** The same, and adds the gradient of the loss to what the next `optimStep` applies. */
  forwardBackward(
    data: readonly Datum[],
    lossFn: LossFn,
    lossConfig?: LossConfig,
    options: CallOptions = {},
  ): ApiFuture<ForwardResult> {
    return this.#forward(true, data, lossFn, lossConfig, options);
  }

  /** Applies the gradients gathered since the last one. */
  optimStep(adam: AdamParams, options: CallOptions = {}): ApiFuture<OptimStepResult> {
    return this.#calls.start(
      {
        type: 'OptimStep',
        encode: () => {
          validateAdam(adam, this.engine);
          return [(modelId, seqId) => encodeOptimStep(adam, modelId, seqId)];
        },
        decode: ([answer]) => decodeOptimStep(answer!),
      },
      options.signal,
    );
  }

  /** Saves adapter and optimizer as `tinker://RUN/weights/NAME`. */
  saveState(name: string, options: SaveOptions = {}): ApiFuture<SavedState> {
    return this.#calls.start(
      {
        type: 'SaveWeights',
        encode: () => [this.#save('save_weights', name, options)],
        decode: ([answer]) => decodeSavedState(answer!),
        onTaken: { done: () => ({ path: `tinker://${this.modelId}/weights/${name}` }) },
      },
      options.signal,
    );
  }

  /** Saves weights to sample from: under a name, or, without one, for as long as this session lives. */
  saveWeightsForSampler(name?: string, options: SaveOptions = {}): ApiFuture<SavedSampler> {
    const onTaken =
      name === undefined
        ? { renamed: () => this.#saveEphemeral(options) }
        : {
            done: (): SavedSampler => ({
              kind: 'named',
              path: `tinker://${this.modelId}/sampler_weights/${name}`,
            }),
          };
    return this.#calls.start(
      {
        type: 'SaveWeightsForSampler',
        encode: () => [
          name === undefined
            ? this.#saveEphemeral(options)
            : this.#save('save_weights_for_sampler', name, options),
        ],
        decode: ([answer]) => decodeSavedSampler(answer!),
        onTaken,
      },
      options.signal,
    );
  }

  /** Loads a checkpoint. Engines allow it as the first call of a model only: see `ServiceClient.createTrainingClientFromState`. */
  loadState(path: string, load: { readonly optimizer: boolean }, options: CallOptions = {}): ApiFuture<void> {
    return this.#calls.start(
      {
        type: 'LoadWeights',
        encode: () => {
          if (!load.optimizer && !this.engine.loadsWithoutOptimizer) {
            throw new TinkerError(
              'UNSUPPORTED',
              `The engine ${this.engine.name} always loads the optimizer too; give { optimizer: true }.`,
            );
          }
          return [
            (modelId, seqId) =>
              jsonPost('/load_weights', {
                model_id: modelId,
                path,
                optimizer: load.optimizer,
                seq_id: seqId,
                type: 'load_weights',
              }),
          ];
        },
        decode: () => {},
        isHarmless: true,
      },
      options.signal,
    );
  }

  /** `saveWeightsForSampler`, then a client that samples from it. */
  async saveWeightsAndGetSamplingClient(name?: string, options: SaveOptions = {}): Promise<SamplingClient> {
    const saved = await this.saveWeightsForSampler(name, options);
    const source =
      saved.kind === 'named' ? { modelPath: saved.path } : { samplingSessionId: saved.samplingSessionId };
    return SamplingClient.open(this.#core, source, this.#vocabSize, options);
  }

  async info(options: CallOptions = {}): Promise<ModelInfo> {
    const request = jsonPost('/get_info', { model_id: this.modelId, type: 'get_info' });
    return this.#core.lifetime.within(options.signal, async (scope) =>
      decodeModelInfo((await submit(this.#core, request, scope.signal)).json()),
    );
  }

  /** Gives the model's memory back to the engine; nothing can be done with it afterwards. */
  unload(options: CallOptions = {}): ApiFuture<void> {
    this.#onUnload();
    return this.#calls.start(
      {
        type: 'UnloadModel',
        encode: () => [(modelId) => jsonPost('/unload_model', { model_id: modelId, type: 'unload_model' })],
        decode: () => {},
        isHarmless: true,
      },
      options.signal,
    );
  }

  #forward(
    withGradient: boolean,
    data: readonly Datum[],
    lossFn: LossFn,
    lossConfig: LossConfig | undefined,
    { signal }: CallOptions,
  ): ApiFuture<ForwardResult> {
    const { wire, compress, limits } = this.#core;
    return this.#calls.start(
      {
        type: withGradient ? 'ForwardBackward' : 'Forward',
        accept: wire,
        isHarmless: !withGradient,
        encode: () => {
          validateDatums(data, lossFn, lossConfig, this.engine, this.#vocabSize);
          return chunkDatums(data, wire, limits.chunkDatums, limits.chunkBytes).map((chunk) =>
            encodeBatch(wire, compress, { withGradient, data: chunk, lossFn, lossConfig }),
          );
        },
        decode: (answers) => checkOutputs(combineResults(answers.map(decodeForwardResult)), data),
      },
      signal,
    );
  }

  #save(
    route: string,
    name: string,
    options: SaveOptions,
  ): (modelId: string, seqId: number) => ReturnType<typeof jsonPost> {
    validateCheckpointName(name);
    const { ttlSeconds, overwrite } = options;
    if (!this.engine.checkpointOptions && (ttlSeconds !== undefined || overwrite !== undefined)) {
      throw new TinkerError(
        'UNSUPPORTED',
        `The engine ${this.engine.name} has no ttlSeconds and no overwrite.`,
      );
    }
    return (modelId, seqId) =>
      jsonPost(`/${route}`, {
        model_id: modelId,
        path: name,
        seq_id: seqId,
        ttl_seconds: ttlSeconds,
        overwrite,
        type: route,
      });
  }

  #saveEphemeral({
    ttlSeconds,
    overwrite,
  }: SaveOptions): (modelId: string, seqId: number) => ReturnType<typeof jsonPost> {
    if (ttlSeconds !== undefined || overwrite !== undefined) {
      throw new TinkerError('UNSUPPORTED', 'ttlSeconds and overwrite are for weights saved under a name.');
    }
    const samplingSessionSeqId = this.#core.nextSamplingSessionSeqId();
    return (modelId, seqId) =>
      jsonPost('/save_weights_for_sampler', {
        model_id: modelId,
        sampling_session_seq_id: samplingSessionSeqId,
        seq_id: seqId,
        type: 'save_weights_for_sampler',
      });
  }
}
