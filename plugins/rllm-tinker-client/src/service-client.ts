import type { ClientCore, SessionCore } from './client-core.js';
import { systemClock } from './clock.js';
import type { EngineProfile } from './engine/engine-profile.js';
import { messageOf, TinkerError } from './errors.js';
import { awaitResult } from './futures/await-result.js';
import { DEFAULT_LIMITS } from './limits.js';
import { SILENT } from './logger.js';
import type { ServiceClientOptions } from './options.js';
import { RestClient } from './rest/rest-client.js';
import { SamplingClient } from './sampling/sampling-client.js';
import { Heartbeat } from './session/heartbeat.js';
import { openSession, type SessionSettings } from './session/open-session.js';
import { TrainingClient } from './training/training-client.js';
import { validateLora } from './training/validate-lora.js';
import { Credentials } from './transport/credentials.js';
import { HttpTransport } from './transport/http-transport.js';
import { Lifetime } from './transport/lifetime.js';
import { submit } from './transport/submit.js';
import { TokenSource } from './transport/token-source.js';
import type { CallOptions } from './types/call-options.js';
import type { Capabilities } from './types/capabilities.js';
import type { LoraConfig } from './types/lora.js';
import type { SamplingSource } from './types/sampling.js';
import { decodeCapabilities } from './wire/json-capabilities.js';
import { createdModel, encodeCreateModel } from './wire/json-create-model.js';
import { jsonPost } from './wire/json-post.js';
import { requestIdOf } from './wire/request-id.js';

const HOSTED_URL = 'https://tinker.thinkingmachines.dev/services/tinker-prod';
/** How long closing may take over unloading models. */
const UNLOAD_MS = 5_000;

/** A new model to train. */
export interface TrainingModel {
  readonly baseModel: string;
  readonly lora?: LoraConfig;
  readonly userMetadata?: Readonly<Record<string, string>>;
  /** Token ids from here on are refused before they are sent; without it, only what cannot be a token is. */
  readonly vocabSize?: number;
}

/** How a model is made from a checkpoint of training state. */
export interface StateSource {
  /** Whether the optimizer's moments come along. */
  readonly optimizer: boolean;
  readonly userMetadata?: Readonly<Record<string, string>>;
  readonly vocabSize?: number;
}

/** The door: one service, one session. Nothing is sent before the first call. */
export class ServiceClient {
  readonly #settings: SessionSettings;
  readonly #core: ClientCore;
  readonly #models = new Set<string>();
  #opening: Promise<SessionCore> | undefined;
  #opened: SessionCore | undefined;
  #heartbeat: Heartbeat | undefined;
  #closing: Promise<void> | undefined;

  /** @throws TinkerError INPUT_INVALID when the base URL is no http address */
  constructor(options: ServiceClientOptions = {}) {
    const { env } = process;
    const baseUrl = checkUrl(options.baseUrl ?? env['TINKER_BASE_URL'] ?? HOSTED_URL);
    const credentials = new Credentials(options.apiKey ?? env['TINKER_API_KEY']);
    const clock = options.clock ?? systemClock;
    const fetch = options.fetch ?? globalThis.fetch;
    const transport = new HttpTransport({ baseUrl, fetch, credentials, clock });
    const lifetime = new Lifetime();
    const logger = options.logger ?? SILENT;
    const tags = options.tags ?? env['TINKER_TAGS']?.split(',').filter((tag) => tag !== '') ?? [];
    const projectId = options.projectId ?? env['TINKER_PROJECT_ID'];
    this.#settings = {
      ...options,
      baseUrl,
      credentials,
      tags,
      ...(projectId === undefined ? {} : { projectId }),
    };
    this.#core = {
      transport,
      clock,
      token: new TokenSource({ transport, credentials, lifetime, clock, logger }),
      lifetime,
      logger,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      random: options.random ?? Math.random,
      redact: (text) => credentials.redact(text),
    };
  }

  /** Opens the session, if it is not open yet, and says what engine it is. */
  async connect(options: CallOptions = {}): Promise<EngineProfile> {
    return this.#within(options, async ({ engine }) => engine);
  }

  /** What the engine is and which models it has. */
  async capabilities(options: CallOptions = {}): Promise<Capabilities> {
    return this.#within(options, async (core, signal) => {
      const answer = await submit(core, { method: 'GET', path: '/get_server_capabilities' }, signal);
      return { engine: core.engine, models: decodeCapabilities(answer.json()) };
    });
  }

  /** @throws TinkerError INPUT_INVALID for a rank that the engine has not, OPERATION_FAILED when it has no room */
  async createTrainingClient(model: TrainingModel, options: CallOptions = {}): Promise<TrainingClient> {
    return this.#within(options, async (core, signal) => {
      validateLora(model.lora ?? {}, core.engine);
      const request = encodeCreateModel(core.sessionId, core.nextModelSeqId(), model);
      const start = core.clock.now();
      const first = await submit(core, request, signal);
      const result = await awaitResult(
        core,
        {
          requestId: requestIdOf(first),
          type: 'CreateModel',
          accept: 'json',
          submitMs: core.clock.now() - start,
          resubmit: async () => requestIdOf(await submit(core, request, signal)),
        },
        signal,
      );
      const modelId = createdModel(result);
      this.#models.add(modelId);
      return new TrainingClient(core, modelId, model.vocabSize, () => this.#models.delete(modelId));
    });
  }

  /** A new model that continues from `tinker://RUN/weights/NAME`, with its base model, rank and weights. */
  async createTrainingClientFromState(
    path: string,
    source: StateSource,
    options: CallOptions = {},
  ): Promise<TrainingClient> {
    const { optimizer, ...rest } = source;
    const { baseModel, loraRank, ...trained } = await this.rest().weightsInfo(path, options);
    const lora = {
      ...(loraRank === undefined ? {} : { rank: loraRank }),
      ...(trained.trainAttn === undefined ? {} : { trainAttn: trained.trainAttn }),
      ...(trained.trainMlp === undefined ? {} : { trainMlp: trained.trainMlp }),
      ...(trained.trainUnembed === undefined ? {} : { trainUnembed: trained.trainUnembed }),
    };
    const client = await this.createTrainingClient({ baseModel, lora, ...rest }, options);
    await client.loadState(path, { optimizer }, options);
    return client;
  }

  /** A client that samples from a sampler checkpoint, from the base model, or from what an ephemeral save gave. */
  async samplingClient(
    source: SamplingSource & { readonly vocabSize?: number },
    options: CallOptions = {},
  ): Promise<SamplingClient> {
    return this.#within(options, (core) => SamplingClient.open(core, source, source.vocabSize, options));
  }

  rest(): RestClient {
    return new RestClient(this.#core, () => this.#session());
  }

  /**
   * Ends the session: pending calls reject with the code CLOSED, timers stop, and models are unloaded where that frees something, for at
   * most 5 s. Never throws; a second call waits for the first.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#heartbeat?.stop();
    this.#core.lifetime.close();
    if (this.#opened?.engine.unloadOnClose === true) {
      await Promise.all([...this.#models].map((modelId) => this.#unload(modelId)));
    }
  }

  /** Asks the engine to unload, without waiting until it has. */
  async #unload(modelId: string): Promise<void> {
    const request = jsonPost('/unload_model', { model_id: modelId, type: 'unload_model' });
    try {
      await this.#core.transport.send(request, UNLOAD_MS, new AbortController().signal);
    } catch (failure) {
      this.#core.logger.debug(`unloading ${modelId} failed: ${messageOf(failure)}`);
    }
  }

  #within<T>(options: CallOptions, work: (core: SessionCore, signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#core.lifetime.within(options.signal, async ({ signal }) =>
      work(await this.#session(), signal),
    );
  }

  /** The session, opened by the first call that needs it; a failure to open it is forgotten, so that the next call tries again. */
  async #session(): Promise<SessionCore> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<SessionCore> {
    try {
      return await this.#core.lifetime.within(undefined, async ({ signal }) => {
        const session = await openSession(this.#core, this.#settings, signal);
        // Closed in the meantime: no timer must start.
        signal.throwIfAborted();
        this.#opened = session;
        this.#heartbeat = new Heartbeat(this.#core, session.sessionId);
        this.#core.logger.info(`session ${session.sessionId} is open; the engine is ${session.engine.name}`);
        return session;
      });
    } catch (failure) {
      this.#opening = undefined;
      throw failure;
    }
  }
}

function checkUrl(baseUrl: string): string {
  if (/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : '')) return baseUrl;
  throw new TinkerError('INPUT_INVALID', `The base URL "${baseUrl}" is no http or https address.`);
}
