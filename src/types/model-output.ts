import type { ToolCall } from './message.js';

/** Why a model stopped: it said so, it ran out of tokens, it calls a tool, or the call was aborted. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'abort';

/** What one model call gave. Ids and log-probs are the sampled ones, never re-encoded text. */
export interface ModelOutput {
  /** The whole completion as text. */
  readonly text: string;
  /** The answer without thinking and tool calls. */
  readonly content: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Token ids of the prompt as the model saw it. */
  readonly promptIds: readonly number[];
  /** Sampled token ids, the stop token included. */
  readonly completionIds: readonly number[];
  /** Natural-log probability of each sampled token at temperature 1, same length as `completionIds`; empty if the engine has none. */
  readonly logprobs: readonly number[];
  readonly finishReason: FinishReason;
  /** Number of optimiser steps of the weights that sampled this; absent if the engine does not know. */
  readonly weightVersion?: number;
}
