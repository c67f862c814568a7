import type { Message } from './message.js';
import type { ModelOutput } from './model-output.js';

/**
 * One model call of a trajectory. Plain data: JSON carries it without loss.
 *
 * `advantage` is absent until somebody sets it: a number holds for every response token, a list has one entry per token.
 */
export interface Step {
  readonly id: string;
  readonly promptIds: readonly number[];
  readonly responseIds: readonly number[];
  /** One per response token, or empty when the engine gave none. */
  readonly logprobs: readonly number[];
  /** The whole conversation, the model's reply last. */
  readonly chatCompletions: readonly Message[];
  observation?: unknown;
  thought?: string;
  action?: unknown;
  readonly modelResponse: string;
  /** Reward of this step alone, in the workflow's units. */
  reward: number;
  done: boolean;
  /** Discounted return from this step on, where the workflow computes one. */
  mcReturn: number;
  advantage?: number | readonly number[];
  /** What the critic should have said before each response token, same length as `responseIds`; set where the estimator gives it. */
  returns?: readonly number[];
  /** The critic's value before each response token, same length as `responseIds`. */
  values?: readonly number[];
  /** Log-prob of each response token under the frozen reference policy. */
  referenceLogprobs?: readonly number[];
  /** Log-prob of each response token under the teacher; null where the teacher has none for it. */
  teacherLogprobs?: readonly (number | null)[];
  /** Optimiser step of the weights that produced it. */
  readonly weightVersion?: number;
  info: Record<string, unknown>;
}

/** What `createStep` takes: any field of a step, or the model output to take tokens, log-probs and text from. */
export type StepInit = Partial<Step> & { readonly modelOutput?: ModelOutput };
