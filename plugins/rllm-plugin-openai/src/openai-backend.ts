import {
  type Backend,
  type BackendCapabilities,
  type BackendContext,
  type Json,
  type ModelCall,
  type ModelOutput,
  RllmError,
  type RolloutEngine,
  stream,
  suggestion,
} from 'rllm-sdk';
import { apiKeyOf } from './api-key.js';
import { chatRequest } from './chat-request.js';
import { readChatResponse } from './chat-response.js';
import { contextRoom } from './context-room.js';
import { explainFailure } from './explain-failure.js';
import { HttpClient } from './http-client.js';
import type { OpenAIOptions } from './openai-options.js';
import { RequestFailure } from './request-failure.js';
import { type ServedModel, servedModel } from './served-model.js';
import { Slots } from './slots.js';

/** What the backend can do: sample. Log-probs of sampled tokens come from vLLM alone. */
export function openaiCapabilities({ tokenIds }: Pick<OpenAIOptions, 'tokenIds'>): BackendCapabilities {
  return {
    training: false,
    losses: [],
    defaultLosses: { default: 'none' },
    gradientClipping: false,
    learningRateSchedules: [],
    miniBatches: false,
    perTokenAdvantages: false,
    logprobs: tokenIds === 'vllm',
    checkpoints: false,
  };
}

/** Samples from an OpenAI-compatible server; the weights are the server's affair. */
export class OpenAIBackend implements Backend<never> {
  readonly name = 'openai';
  readonly capabilities: BackendCapabilities;
  readonly rolloutEngine: RolloutEngine = { getModelResponse: (call) => this.#respond(call) };
  readonly weightVersion = 0;
  readonly #options: OpenAIOptions;
  readonly #context: BackendContext;
  readonly #client: HttpClient;
  readonly #slots: Slots;
  readonly #stop = new AbortController();
  readonly #usage = { calls: 0, promptTokens: 0, completionTokens: 0 };
  #model: ServedModel | undefined;

  constructor(options: OpenAIOptions, context: BackendContext) {
    const { baseURL, timeoutMs, maxRetries, maxConcurrency } = options;
    this.capabilities = openaiCapabilities(options);
    this.#options = options;
    this.#context = context;
    this.#client = new HttpClient({
      baseURL,
      apiKey: apiKeyOf(options),
      timeoutMs,
      maxRetries,
    });
    this.#slots = new Slots(maxConcurrency);
  }

  /**
   * Asks the server for its models, and for one token where the list does not have the model.
   *
   * @throws RllmError BACKEND_FAILED when the server cannot be reached, refuses the key, or has no such model.
   */
  async start(): Promise<void> {
    const { baseURL, model: asked } = this.#options;
    const model = servedModel(await this.#modelList(), asked, baseURL);
    if (!model.isListed) await this.#probe(model);
    this.#model = model;
    this.#context.logger.info(`openai: "${model.name}" of ${baseURL}, token ids: ${this.#tokenIdsOf(model)}`);
  }

  transformToBackendBatch(): never {
    throw cannotTrain();
  }

  async processBatch(): Promise<never> {
    throw cannotTrain();
  }

  async updatePolicy(): Promise<never> {
    throw cannotTrain();
  }

  async saveCheckpoint(): Promise<never> {
    throw cannotTrain();
  }

  /** @throws RllmError CHECKPOINT_INVALID always. */
  async loadCheckpoint(directory: string): Promise<never> {
    throw new RllmError(
      'CHECKPOINT_INVALID',
      `The backend "openai" samples the weights that its server has loaded, and cannot load ${directory}: leave the checkpoint out, or start the server with it.`,
    );
  }

  async shutdown(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(new RllmError('ABORTED', 'The backend "openai" was shut down.'));
    const { calls, promptTokens, completionTokens } = this.#usage;
    if (calls === 0) return;
    this.#context.logger.info(
      `openai: ${calls} calls, ${promptTokens} prompt tokens, ${completionTokens} completion tokens`,
    );
  }

  /** `undefined` when the server has no list of models. */
  async #modelList(): Promise<unknown> {
    try {
      return await this.#client.request('/models', undefined, this.#signal());
    } catch (thrown) {
      if (!(thrown instanceof RequestFailure)) throw thrown;
      const { failure } = thrown;
      if (failure.kind === 'status' && NO_ROUTE.has(failure.status)) return undefined;
      throw explainFailure(thrown, this.#place(this.#options.model ?? ''), 'BACKEND_FAILED');
    }
  }

  async #probe({ name, known }: ServedModel): Promise<void> {
    const call = {
      messages: [{ role: 'user' as const, content: 'hi' }],
      sampling: { temperature: 1, topP: 1, maxTokens: 1 },
    };
    try {
      const body = chatRequest(call, name, 0, this.#options, 'none');
      await this.#client.request('/chat/completions', body, this.#signal());
    } catch (thrown) {
      if (!(thrown instanceof RequestFailure)) throw thrown;
      const { failure, message } = thrown;
      const isRefused = failure.kind === 'status' && failure.status < 500 && /model/i.test(message);
      if (isRefused && known.length > 0) {
        throw new RllmError(
          'BACKEND_FAILED',
          `The server at ${this.#options.baseURL} has no model "${name}": ${message}. ${suggestion(name, known)}`,
          { cause: thrown },
        );
      }
      // One token may be too few for a model; that it was understood is enough.
      if (failure.kind === 'status' && failure.status === 400 && !isRefused) return;
      throw explainFailure(thrown, this.#place(name), 'BACKEND_FAILED');
    }
  }

  async #respond(call: ModelCall): Promise<ModelOutput> {
    const model = this.#model;
    if (model === undefined) throw new RllmError('BACKEND_FAILED', 'The backend "openai" is not started.');
    const tokenIds = this.#tokenIdsOf(model);
    const seed = seedOf(call, this.#context.config.trainer.seed);
    const signal = this.#signal(call.signal);
    try {
      const answer = await this.#slots.use(signal, () =>
        this.#complete(chatRequest(call, model.name, seed, this.#options, tokenIds), signal),
      );
      const required = this.#options.tokenIds !== 'auto';
      const { output, usage } = readChatResponse(answer, { tokenIds, required });
      this.#usage.calls++;
      this.#usage.promptTokens += usage.promptTokens;
      this.#usage.completionTokens += usage.completionTokens;
      return output;
    } catch (thrown) {
      if (thrown instanceof RequestFailure) {
        throw explainFailure(thrown, this.#place(model.name), 'ROLLOUT_FAILED');
      }
      if (!signal.aborted || RllmError.isInstance(thrown)) throw thrown;
      throw new RllmError('ABORTED', 'A model call was given up.', { cause: thrown });
    }
  }

  /** A completion may be asked to be longer than the context has room for; the server then says how much there is. */
  async #complete(body: Readonly<Record<string, Json>>, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#client.request('/chat/completions', body, signal);
    } catch (thrown) {
      if (!(thrown instanceof RequestFailure) || thrown.failure.kind !== 'status') throw thrown;
      const room = contextRoom(thrown.message)?.room ?? 0;
      const { maxTokensField } = this.#options;
      const asked = body[maxTokensField];
      if (room < 1 || typeof asked !== 'number' || room >= asked) throw thrown;
      return this.#client.request('/chat/completions', { ...body, [maxTokensField]: room }, signal);
    }
  }

  #tokenIdsOf(model: ServedModel): ServedModel['tokenIds'] {
    const { tokenIds } = this.#options;
    return tokenIds === 'auto' ? model.tokenIds : tokenIds;
  }

  #place(model: string): Parameters<typeof explainFailure>[1] {
    const { baseURL, apiKeyEnv } = this.#options;
    return { baseURL, apiKeyEnv, model };
  }

  #signal(own?: AbortSignal): AbortSignal {
    const signals = [this.#stop.signal, this.#context.signal];
    return AbortSignal.any(own === undefined ? signals : [...signals, own]);
  }
}

const NO_ROUTE: ReadonlySet<number> = new Set([404, 405, 501]);

/** Depends on the run's seed and the call's identity alone; 31 bits, since some servers read a signed integer. */
function seedOf({ identity }: ModelCall, seed: number): number {
  const { mode, step, taskId, rolloutIndex, attempt, call } = identity;
  return stream(seed, 'openai', mode, step, taskId, rolloutIndex, attempt, call).int(2 ** 31);
}

function cannotTrain(): RllmError {
  return new RllmError(
    'CAPABILITY_MISSING',
    'The backend "openai" only samples: use `rllm eval`, or set trainer.valOnly.',
  );
}
