import { samplerPath } from '../checkpoint-path.js';
import type { SessionCore } from '../client-core.js';
import { ApiFuture } from '../futures/api-future.js';
import { type AcceptedCall, awaitResult } from '../futures/await-result.js';
import type { Scope } from '../transport/lifetime.js';
import { submit } from '../transport/submit.js';
import type { CallOptions } from '../types/call-options.js';
import type { SampleRequest, SampleResult, SamplingSource } from '../types/sampling.js';
import type { Tokens } from '../types/tokens.js';
import { invalidResponse } from '../wire/invalid-response.js';
import { jsonPost } from '../wire/json-post.js';
import { encodeSampleRequest } from '../wire/json-sample-request.js';
import { decodeJsonSampleResult } from '../wire/json-sample-result.js';
import { decodeProtobufSampleResult } from '../wire/protobuf-sample-result.js';
import { requestIdOf } from '../wire/request-id.js';
import { validateSample } from './validate-sample.js';

/** Bytes that a token of a prompt counts for. */
const BYTES_PER_TOKEN = 10;

/** Samples from one set of weights. Calls are independent of each other; as many run as the limits allow, others wait. */
export class SamplingClient {
  readonly samplingSessionId: string;
  readonly #core: SessionCore;
  readonly #vocabSize: number | undefined;
  #nextSeqId = 0;

  /** @internal made by `ServiceClient.samplingClient` */
  constructor(core: SessionCore, samplingSessionId: string, vocabSize: number | undefined) {
    this.#core = core;
    this.samplingSessionId = samplingSessionId;
    this.#vocabSize = vocabSize;
  }

  /** @internal */
  static async open(
    core: SessionCore,
    source: SamplingSource,
    vocabSize: number | undefined,
    options: CallOptions,
  ): Promise<SamplingClient> {
    if ('samplingSessionId' in source) return new SamplingClient(core, source.samplingSessionId, vocabSize);
    const request = jsonPost('/create_sampling_session', {
      session_id: core.sessionId,
      sampling_session_seq_id: core.nextSamplingSessionSeqId(),
      base_model: 'baseModel' in source ? source.baseModel : undefined,
      model_path: 'modelPath' in source ? samplerPath(source.modelPath) : undefined,
      type: 'create_sampling_session',
    });
    return core.lifetime.within(options.signal, async (scope) => {
      const { sampling_session_id: id } = (await submit(core, request, scope.signal)).json() as {
        readonly sampling_session_id?: unknown;
      };
      if (typeof id !== 'string') throw invalidResponse('a sampling session without sampling_session_id');
      return new SamplingClient(core, id, vocabSize);
    });
  }

  /**
   * Samples `numSamples` sequences from one prompt.
   *
   * The future rejects with INPUT_INVALID or UNSUPPORTED before anything is sent; see README for what the engine may answer.
   */
  sample(prompt: Tokens, request: SampleRequest, options: CallOptions = {}): ApiFuture<SampleResult> {
    const core = this.#core;
    return ApiFuture.start(core.lifetime, options.signal, async (scope, onSubmitted) => {
      validateSample(prompt, request, core.engine, this.#vocabSize);
      const leave = await core.sampleGate.enter(scope.signal);
      try {
        const call = await this.#submit(prompt, request, scope);
        onSubmitted();
        const answer = await awaitResult(core, call, scope.signal);
        return answer.isProtobuf
          ? decodeProtobufSampleResult(answer.bytes)
          : decodeJsonSampleResult(answer.hoisted(), prompt.length);
      } finally {
        leave();
      }
    });
  }

  /** Log-prob of every token given those before it, shape [tokens]; the first is null. Samples one token besides, which is dropped. */
  computeLogprobs(tokens: Tokens, options: CallOptions = {}): ApiFuture<readonly (number | null)[]> {
    const request = { params: { maxTokens: 1 }, promptLogprobs: true };
    return this.sample(tokens, request, options).map(({ promptLogprobs }) => promptLogprobs ?? []);
  }

  async #submit(prompt: Tokens, request: SampleRequest, scope: Scope): Promise<AcceptedCall> {
    const core = this.#core;
    const http = encodeSampleRequest(this.samplingSessionId, this.#nextSeqId++, prompt, request);
    const send = async (): Promise<string> => {
      const answer = await core.sampleGate.submit(prompt.length * BYTES_PER_TOKEN, scope.signal, () =>
        submit(core, http, scope.signal, { passes: [429] }),
      );
      return requestIdOf(answer);
    };
    const start = core.clock.now();
    const requestId = await send();
    return {
      requestId,
      type: 'Sample',
      accept: core.wire,
      submitMs: core.clock.now() - start,
      resubmit: send,
    };
  }
}
