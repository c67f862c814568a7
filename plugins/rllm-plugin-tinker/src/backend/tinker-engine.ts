import { type ModelCall, type ModelOutput, RllmError, type RolloutEngine, stream } from 'rllm-sdk';
import {
  type SampledSequence,
  type SampleRequest,
  type SamplingClient,
  TinkerError,
} from 'rllm-tinker-client';
import type { RenderedPrompt, Renderer } from '../renderer/index.js';
import { engineFailure } from './engine-failure.js';

/** The weights that sample. */
export interface Policy {
  readonly sampler: Pick<SamplingClient, 'sample'>;
  /** Optimiser steps taken. */
  readonly weightVersion: number;
}

/** What a model can take in. */
export interface LengthLimits {
  /** Tokens of prompt and completion together. */
  readonly maxLength: number;
  readonly maxPromptTokens: number;
}

/** What happened to conversations of training since it was last asked. */
export interface ConversationCounts {
  readonly rewrittenPrompts: number;
  readonly malformedCalls: number;
}

/** Agents of one rollout count their calls in lanes of this length, see `CallIdentity.call`. */
const CALLS_PER_LANE = 2 ** 16;

/** The policy as a chat model on a Tinker engine. */
export class TinkerEngine implements RolloutEngine {
  readonly #renderer: Renderer;
  readonly #limits: LengthLimits;
  readonly #seed: number;
  #policy: Promise<Policy>;
  /** Ends with the turn of the last call in line. */
  #line: Promise<void> = Promise.resolve();
  #rewrittenPrompts = 0;
  #malformedCalls = 0;

  constructor(renderer: Renderer, limits: LengthLimits, seed: number, policy: Policy) {
    this.#renderer = renderer;
    this.#limits = limits;
    this.#seed = seed;
    this.#policy = Promise.resolve(policy);
  }

  /** Samples from these weights from now on. Calls made while they are a promise wait for them. */
  use(policy: Policy | Promise<Policy>): void {
    this.#policy = Promise.resolve(policy);
    // Calls that wait are told; without any, nobody is.
    this.#policy.catch(() => undefined);
  }

  /** Counts since the last call of this. */
  takeCounts(): ConversationCounts {
    const counts = { rewrittenPrompts: this.#rewrittenPrompts, malformedCalls: this.#malformedCalls };
    this.#rewrittenPrompts = 0;
    this.#malformedCalls = 0;
    return counts;
  }

  /**
   * One completion. Its seed is made of `trainer.seed` and the call's identity.
   *
   * @throws RllmError PROMPT_TOO_LONG when the prompt is over the limit; ROLLOUT_FAILED when the engine fails.
   */
  async getModelResponse(call: ModelCall): Promise<ModelOutput> {
    await this.#turn();
    const { messages, sampling } = call;
    const lane = laneOf(call);
    const conversation = { messages, tools: sampling.tools ?? [] };
    const prompt = this.#renderer.prompt(lane, conversation);
    const isTraining = call.identity.mode === 'train';
    if (prompt.isRewritten && isTraining) this.#rewrittenPrompts++;
    const room = this.#roomFor(prompt);
    const { sampler, weightVersion } = await this.#policy;
    let sampled: SampledSequence | undefined;
    try {
      const options = call.signal === undefined ? {} : { signal: call.signal };
      const { sequences } = await sampler.sample(prompt.ids, this.#request(call, room), options);
      sampled = sequences[0];
    } catch (thrown) {
      if (TinkerError.isInstance(thrown) && thrown.code === 'ABORTED') return aborted(prompt);
      throw engineFailure('Sampling', thrown, 'ROLLOUT_FAILED');
    }
    if (sampled === undefined)
      throw new RllmError('ROLLOUT_FAILED', 'The engine answered a model call without a sample.');
    const length = this.#lengthToStop(sampled.tokens);
    const completionIds = Array.from(sampled.tokens.subarray(0, length));
    const { text, message, malformedCalls } = this.#renderer.read({
      stream: lane,
      conversation,
      prompt,
      completionIds,
      stops: sampling.stop ?? [],
      callIdPrefix: `call_${call.identity.call}`,
    });
    if (isTraining) this.#malformedCalls += malformedCalls;
    const { content, reasoning, toolCalls } = message;
    const isStopped = sampled.stopReason === 'stop' || length < sampled.tokens.length;
    return {
      text,
      content,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(toolCalls === undefined ? {} : { toolCalls }),
      promptIds: prompt.ids,
      completionIds,
      logprobs: Array.from(sampled.logprobs.subarray(0, length)),
      finishReason: !isStopped ? 'length' : toolCalls === undefined ? 'stop' : 'tool_calls',
      weightVersion,
    };
  }

  /** Renders one prompt in each turn of the event loop: hundreds of rollouts ask at once, and a long conversation takes milliseconds. */
  #turn(): Promise<void> {
    this.#line = this.#line.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#line;
  }

  /** Tokens left for a completion, at most as in rLLM: one is kept free. */
  #roomFor({ ids }: RenderedPrompt): number {
    const { maxLength, maxPromptTokens } = this.#limits;
    const room = maxLength - 1 - ids.length;
    if (ids.length <= maxPromptTokens && room >= 1) return room;
    throw new RllmError(
      'PROMPT_TOO_LONG',
      `The prompt has ${ids.length} tokens; at most ${Math.min(maxPromptTokens, maxLength - 2)} are allowed by maxPromptTokens ${maxPromptTokens} and maxLength ${maxLength}.`,
      { details: { promptTokens: ids.length, maxPromptTokens, maxLength } },
    );
  }

  #request({ sampling, identity }: ModelCall, room: number): SampleRequest {
    const { temperature, topP, maxTokens, stop = [] } = sampling;
    const { mode, step, taskId, rolloutIndex, attempt, call } = identity;
    const random = stream(this.#seed, 'sample', mode, step, taskId, rolloutIndex, attempt, call);
    const { stopIds } = this.#renderer;
    // Engines take ids or texts, never both: beside texts, stop tokens are given by their spelling.
    const stopTexts = [...stop, ...stopIds.map((id) => this.#renderer.decode(id))];
    const stops = stop.length > 0 ? stopTexts : stopIds;
    return {
      params: {
        maxTokens: Math.min(maxTokens, room),
        temperature,
        topP,
        seed: random.int(2 ** 31 - 1),
        ...(stops.length === 0 ? {} : { stop: stops }),
      },
    };
  }

  /** Where the completion ends: behind the first stop token, in case the engine went on. */
  #lengthToStop(tokens: Int32Array): number {
    const at = tokens.findIndex((id) => this.#renderer.stopIds.includes(id));
    return at === -1 ? tokens.length : at + 1;
  }
}

/** Calls that may go on from each other: those of one agent of one attempt. */
function laneOf({ identity }: ModelCall): string {
  const { mode, step, taskId, rolloutIndex, attempt, call } = identity;
  return JSON.stringify([mode, step, taskId, rolloutIndex, attempt, Math.floor(call / CALLS_PER_LANE)]);
}

function aborted(prompt: RenderedPrompt): ModelOutput {
  return {
    text: '',
    content: '',
    promptIds: prompt.ids,
    completionIds: [],
    logprobs: [],
    finishReason: 'abort',
  };
}
