import { randomUUID } from 'node:crypto';
import { RllmError } from '../errors.js';
import { copyPlain } from './copy-plain.js';
import type { Message } from './message.js';
import type { Step, StepInit } from './step.js';

/**
 * A step with every field filled in. What `init` leaves out or leaves empty is taken from `init.modelOutput` (tokens,
 * log-probs, text, weight version), then from the defaults: reward 0, not done, no tokens, no messages.
 *
 * Messages and `info` are copied deeply, so that a conversation may go on. `advantage`, `returns`, `observation`, `action`,
 * `thought`, `values`, `referenceLogprobs`, `teacherLogprobs` and `weightVersion` stay absent unless given: JSON carries a step
 * without loss. Without an `id` it gets a random one; inside a rollout the agent derives ids from the rollout's identity, so
 * that a run can be repeated exactly.
 *
 * @throws RllmError STEP_MALFORMED as `checkStep` does.
 */
export function createStep(init: StepInit = {}): Step {
  return stepWith(copyPlain(init.chatCompletions ?? []), init);
}

/** As `createStep`, but takes over `messages`, which the caller must not change any more, instead of copying them. */
export function stepWith(messages: readonly Message[], init: StepInit): Step {
  const { modelOutput } = init;
  const step: { -readonly [Field in keyof Step]: Step[Field] } = {
    id: init.id ?? randomUUID(),
    promptIds: filled(init.promptIds, modelOutput?.promptIds),
    responseIds: filled(init.responseIds, modelOutput?.completionIds),
    logprobs: filled(init.logprobs, modelOutput?.logprobs),
    chatCompletions: messages,
    modelResponse: init.modelResponse || modelOutput?.text || '',
    reward: init.reward ?? 0,
    done: init.done ?? false,
    mcReturn: init.mcReturn ?? 0,
    info: init.info === undefined ? {} : copyPlain(init.info),
  };
  const weightVersion = init.weightVersion ?? modelOutput?.weightVersion;
  if (init.observation !== undefined) step.observation = init.observation;
  if (init.thought !== undefined) step.thought = init.thought;
  if (init.action !== undefined) step.action = init.action;
  if (init.advantage !== undefined) step.advantage = init.advantage;
  if (init.returns !== undefined) step.returns = init.returns;
  if (init.values !== undefined) step.values = init.values;
  if (init.referenceLogprobs !== undefined) step.referenceLogprobs = init.referenceLogprobs;
  if (init.teacherLogprobs !== undefined) step.teacherLogprobs = init.teacherLogprobs;
  if (weightVersion !== undefined) step.weightVersion = weightVersion;
  checkStep(step, step.id);
  return step;
}

/**
 * Checks the tokens of a step: plain lists, log-probs finite and either one per response token or none at all.
 *
 * @param name  what the message calls the step.
 * @throws RllmError STEP_MALFORMED.
 */
export function checkStep(step: Step, name: string): void {
  const { promptIds, responseIds, logprobs } = step;
  if (!Array.isArray(promptIds) || !Array.isArray(responseIds) || !Array.isArray(logprobs)) {
    throw malformed(name, 'promptIds, responseIds and logprobs must be arrays of numbers');
  }
  if (logprobs.length !== 0 && logprobs.length !== responseIds.length) {
    throw malformed(name, `${logprobs.length} log-probs for ${responseIds.length} response tokens`);
  }
  const odd = logprobs.findIndex((logprob) => !Number.isFinite(logprob));
  if (odd >= 0) throw malformed(name, `log-prob ${odd} is ${String(logprobs[odd])}, not a finite number`);
}

function malformed(name: string, fault: string): RllmError {
  return new RllmError('STEP_MALFORMED', `The step ${JSON.stringify(name)} is malformed: ${fault}.`);
}

function filled(
  given: readonly number[] | undefined,
  fallback: readonly number[] | undefined,
): readonly number[] {
  return given !== undefined && given.length > 0 ? given : (fallback ?? given ?? []);
}
