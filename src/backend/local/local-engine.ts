import { RllmError } from '../../errors.js';
import type { ModelCall, RolloutEngine } from '../../rollout/index.js';
import type { ModelOutput } from '../../types/index.js';
import type { ChatFormat } from './chat-format.js';
import type { SampleRequest, SampleResult } from './sampler.js';

/** Where an engine sends its requests; the results come back through `take`. */
export interface SamplingPort {
  sample(requests: readonly SampleRequest[]): void;
  abort(id: number): void;
}

type Completion = Omit<SampleResult, 'id' | 'weightVersion'> & { readonly weightVersion?: number };

interface Waiting {
  readonly call: ModelCall;
  readonly prompt: readonly number[];
  readonly resolve: (output: ModelOutput) => void;
  readonly reject: (error: RllmError) => void;
  readonly stopListening: () => void;
}

/** Results that are handed over in one turn of the event loop: a few milliseconds' worth of rollouts going on. */
const SLICE = 64;

/**
 * The policy as a chat model. Calls made in one turn of the event loop, however many rollouts they come from, go to the sampler in one
 * message.
 */
export class LocalEngine implements RolloutEngine {
  private readonly format: ChatFormat;
  private readonly contextLength: number;
  private readonly port: SamplingPort;
  private readonly waiting = new Map<number, Waiting>();
  private outbox: SampleRequest[] = [];
  private inbox: SampleResult[] = [];
  private nextId = 0;
  private failure: RllmError | undefined;

  constructor(format: ChatFormat, contextLength: number, port: SamplingPort) {
    this.format = format;
    this.contextLength = contextLength;
    this.port = port;
  }

  async getModelResponse(call: ModelCall): Promise<ModelOutput> {
    if (this.failure !== undefined) throw this.failure;
    const prompt = this.format.prompt(call.messages);
    const room = this.contextLength - prompt.length;
    if (room < 1) {
      throw new RllmError(
        'PROMPT_TOO_LONG',
        `The prompt has ${prompt.length} tokens; with contextLength ${this.contextLength} at most ${this.contextLength - 1} leave room for a completion.`,
        { details: { promptTokens: prompt.length, contextLength: this.contextLength } },
      );
    }
    const id = this.nextId++;
    if (call.signal?.aborted === true) return this.output(call, prompt, ABORTED);
    return new Promise((resolve, reject) => {
      const abort = (): void => this.abort(id);
      call.signal?.addEventListener('abort', abort, { once: true });
      const stopListening = (): void => call.signal?.removeEventListener('abort', abort);
      this.waiting.set(id, { call, prompt, resolve, reject, stopListening });
      this.send(sampleRequest(id, call, prompt, room));
    });
  }

  /** Hands results over, a slice in each turn of the event loop, so that the rollouts that go on with them do not hold it up. */
  take(results: readonly SampleResult[]): void {
    const isWaiting = this.inbox.length > 0;
    this.inbox.push(...results);
    if (!isWaiting) this.handOver();
  }

  private handOver(): void {
    for (const result of this.inbox.splice(0, SLICE)) this.settle(result.id, result);
    if (this.inbox.length > 0) setImmediate(() => this.handOver());
  }

  /** Rejects every call, now and later. */
  fail(error: RllmError): void {
    this.failure ??= error;
    for (const { reject, stopListening } of this.waiting.values()) {
      stopListening();
      reject(this.failure);
    }
    this.waiting.clear();
    this.outbox = [];
  }

  private send(request: SampleRequest): void {
    if (this.outbox.length === 0) setImmediate(() => this.flush());
    this.outbox.push(request);
  }

  private flush(): void {
    if (this.outbox.length > 0) this.port.sample(this.outbox);
    this.outbox = [];
  }

  private abort(id: number): void {
    const unsent = this.outbox.findIndex((request) => request.id === id);
    if (unsent === -1) {
      this.port.abort(id);
      return;
    }
    this.outbox.splice(unsent, 1);
    this.settle(id, ABORTED);
  }

  private settle(id: number, completion: Completion): void {
    const waiting = this.waiting.get(id);
    if (waiting === undefined) return;
    this.waiting.delete(id);
    waiting.stopListening();
    waiting.resolve(this.output(waiting.call, waiting.prompt, completion));
  }

  private output(call: ModelCall, prompt: readonly number[], result: Completion): ModelOutput {
    const text = this.format.reply(result.tokens);
    return {
      text,
      content: beforeStop(text, call.sampling.stop ?? []),
      promptIds: prompt,
      completionIds: result.tokens,
      logprobs: result.logprobs,
      finishReason: result.finishReason,
      ...(result.weightVersion === undefined ? {} : { weightVersion: result.weightVersion }),
    };
  }
}

const ABORTED: Completion = { tokens: [], logprobs: [], finishReason: 'abort' };

function sampleRequest(id: number, call: ModelCall, prompt: readonly number[], room: number): SampleRequest {
  const { temperature, topP, maxTokens, stop = [] } = call.sampling;
  const { mode, step, taskId, rolloutIndex, attempt, call: index } = call.identity;
  return {
    id,
    prompt,
    maxTokens: Math.min(maxTokens, room),
    temperature,
    topP,
    stop,
    path: JSON.stringify([mode, step, taskId, rolloutIndex, attempt, index]),
  };
}

function beforeStop(text: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}
