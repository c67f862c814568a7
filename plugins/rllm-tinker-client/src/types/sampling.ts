import type { FloatArray } from './float-array.js';

/** How tokens are drawn. */
export interface SamplingParams {
  /** Largest number of tokens to sample; always sent, since engines differ in what they do without it. */
  readonly maxTokens: number;
  /** Default 1; 0 is greedy. */
  readonly temperature?: number;
  /** Default 1. */
  readonly topP?: number;
  /** Default −1, which is off. */
  readonly topK?: number;
  /** Sample i of a call uses seed + i on tx. The engine draws one when absent. */
  readonly seed?: number;
  /** Token ids, or texts, at which sampling ends; the stop token is part of the sample. */
  readonly stop?: readonly number[] | readonly string[];
}

/** What to sample from one prompt. */
export interface SampleRequest {
  readonly params: SamplingParams;
  /** Default 1. */
  readonly numSamples?: number;
  /** Log-probs of the prompt's own tokens; default false. */
  readonly promptLogprobs?: boolean;
  /** The k likeliest tokens at each position of the prompt; default 0. Refused where the engine has none. */
  readonly topkPromptLogprobs?: number;
}

/** One sampled sequence. */
export interface SampledSequence {
  /** Includes the stop token. */
  readonly tokens: Int32Array;
  /** Log-prob of each sampled token at temperature 1 and without top-p or top-k, whatever the sampling used. */
  readonly logprobs: FloatArray;
  readonly stopReason: 'stop' | 'length';
}

/** A token and its log-prob. */
export interface TokenLogprob {
  readonly token: number;
  readonly logprob: number;
}

/** Result of one sample call. */
export interface SampleResult {
  readonly sequences: readonly SampledSequence[];
  /** One per token of the prompt, null where none was computed (the first has no context); undefined when not asked for. */
  readonly promptLogprobs: readonly (number | null)[] | undefined;
  /** Likeliest tokens at each position of the prompt, likeliest first; undefined when not asked for. */
  readonly topkPromptLogprobs: readonly (readonly TokenLogprob[] | null)[] | undefined;
}

/** What to sample from: a sampler checkpoint, the base model, or a session that an ephemeral save gave. */
export type SamplingSource =
  | { readonly modelPath: string }
  | { readonly baseModel: string }
  | { readonly samplingSessionId: string };
