import { RllmError } from '../errors.js';
import type { SamplingParams } from '../rollout/index.js';
import {
  copyPlain,
  createTrajectory,
  type Message,
  type ModelOutput,
  type Step,
  stepWith,
  type Trajectory,
} from '../types/index.js';
import type { Agent } from './workflow.js';

/** Makes one model call. */
export type AskModel = (
  messages: readonly Message[],
  sampling: SamplingParams | undefined,
) => Promise<ModelOutput>;

/**
 * The agent of `context.agent(role)`. A model call that fails leaves the conversation as it was and records nothing, so
 * that `respond` may be tried again with the same input.
 */
export class RecordingAgent implements Agent {
  readonly trajectory: Trajectory;
  readonly #ask: AskModel;
  #messages: readonly Message[];
  #isWaiting = false;
  #isRetired = false;

  /** @param uid  from the rollout's identity, so that it is the same in every run. */
  constructor(role: string, uid: string, messages: readonly Message[], ask: AskModel) {
    this.trajectory = createTrajectory({ uid, name: role });
    this.#ask = ask;
    this.#messages = copyPlain(messages);
  }

  /** Its trajectory is in the episode: what came now would be lost, so it is refused. */
  retire(): void {
    this.#isRetired = true;
  }

  /** A copy that later changes by the workflow do not reach. What is read-only by its type is shared: nobody changes it. */
  snapshot(): Trajectory {
    const { trajectory } = this;
    return {
      ...trajectory,
      ...(trajectory.rewards === undefined ? {} : { rewards: { ...trajectory.rewards } }),
      steps: trajectory.steps.map(copyStep),
      info: copyPlain(trajectory.info),
    };
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get lastStep(): Step | undefined {
    return this.trajectory.steps.at(-1);
  }

  async respond(
    input: string | Message | readonly Message[],
    sampling?: SamplingParams,
  ): Promise<ModelOutput> {
    this.#checkOpen('respond');
    if (this.#isWaiting) {
      throw this.#fault('was asked to respond while it waits for a reply; await it, or make a second agent');
    }
    const prompt = [...this.#messages, ...asMessages(input)];
    this.#isWaiting = true;
    try {
      const output = await this.#ask(prompt, sampling);
      const conversation = [...prompt, replyOf(output)];
      const { uid, steps } = this.trajectory;
      const step = stepWith(conversation, { id: `${uid}/${steps.length}`, modelOutput: output });
      if (output.reasoning !== undefined) step.thought = output.reasoning;
      steps.push(step);
      this.#messages = conversation;
      return output;
    } finally {
      this.#isWaiting = false;
    }
  }

  reward(reward: number, parts?: Readonly<Record<string, number>>): void {
    this.#checkOpen('reward');
    const step = this.lastStep;
    if (step === undefined) throw this.#fault('was given a reward before it made a step');
    step.reward = reward;
    if (parts !== undefined) this.trajectory.rewards = { ...this.trajectory.rewards, ...parts };
  }

  #checkOpen(method: string): void {
    if (this.#isRetired) {
      throw this.#fault(
        `was asked to ${method} after its trajectory was committed; make another agent for what follows`,
      );
    }
  }

  #fault(text: string): RllmError {
    return new RllmError('WORKFLOW_FAILED', `The agent "${this.trajectory.name}" ${text}.`);
  }
}

function copyStep(step: Step): Step {
  const copy: Step = { ...step, info: copyPlain(step.info) };
  if (copy.observation !== undefined) copy.observation = copyPlain(copy.observation);
  if (copy.action !== undefined) copy.action = copyPlain(copy.action);
  return copy;
}

function asMessages(input: string | Message | readonly Message[]): readonly Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return copyPlain(isList(input) ? input : [input]);
}

function isList(input: Message | readonly Message[]): input is readonly Message[] {
  return Array.isArray(input);
}

function replyOf({ content, reasoning, toolCalls }: ModelOutput): Message {
  if (reasoning === undefined && toolCalls === undefined) return { role: 'assistant', content };
  return {
    role: 'assistant',
    content,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(toolCalls === undefined ? {} : { toolCalls: copyPlain(toolCalls) }),
  };
}
