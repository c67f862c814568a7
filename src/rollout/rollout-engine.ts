import type { Message, ModelOutput, ToolDefinition } from '../types/index.js';

/** Settings of one model call. Absent fields come from `rollout.train` or `rollout.val`. */
export interface SamplingParams {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  /** Texts at which the completion ends. */
  readonly stop?: readonly string[];
  /** Tools that the model may call in this turn. An engine without tool calls refuses them with ROLLOUT_FAILED. */
  readonly tools?: readonly ToolDefinition[];
}

/** Identifies a model call, so that its random numbers depend on nothing else. */
export interface CallIdentity {
  /** `train` or `val`, and the training step during which it was made. */
  readonly mode: 'train' | 'val';
  readonly step: number;
  readonly taskId: string;
  readonly rolloutIndex: number;
  /** 1-based. */
  readonly attempt: number;
  /**
   * Number of the model call within this attempt. The agent made first counts 0, 1, 2, …; the one made k-th (from 0) counts
   * from k·2¹⁶, so that calls of agents which run side by side do not depend on which of them is faster. Bare calls of
   * `context.model` count like one more agent, made at the first of them.
   */
  readonly call: number;
}

export interface ModelCall {
  readonly messages: readonly Message[];
  readonly sampling: Required<Omit<SamplingParams, 'stop' | 'tools'>> &
    Pick<SamplingParams, 'stop' | 'tools'>;
  readonly identity: CallIdentity;
  readonly signal?: AbortSignal;
}

/**
 * The policy as a chat model: messages in, tokens and log-probs out.
 *
 * Many calls are made at once; an engine gathers them as it likes. Two calls with equal messages, sampling and identity give
 * the same output for the same weights.
 *
 * @throws RllmError PROMPT_TOO_LONG when no room is left for a completion; the workflow engine ends the rollout with `max_prompt_length_exceeded`.
 */
export interface RolloutEngine {
  getModelResponse(call: ModelCall): Promise<ModelOutput>;
}
