import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backend, BackendCapabilities, BackendContext, BackendDefinition } from '../backend/index.js';
import { messageOf, RllmError } from '../errors.js';
import { type Random, stream } from '../random.js';
import type { ModelCall, RolloutEngine } from '../rollout/index.js';
import type { StandardSchema } from '../standard-schema.js';
import type { Metrics, ModelOutput, Step, TrainerState } from '../types/index.js';
import { WordTokens } from './word-tokens.js';

/** What a scripted policy may decide by. Equal inputs must give equal replies. */
export interface PolicyInput extends ModelCall {
  /** Optimiser steps taken. */
  readonly weightVersion: number;
  /** How much each reply was reinforced so far: the sum of its advantages over all updates; 0 for one never given. */
  readonly preference: (reply: string) => number;
  /** Random numbers of this call alone: they depend on `identity` and nothing else. */
  readonly random: Random;
}

/** A policy as a function: the conversation in, the reply out. */
export type ScriptedPolicy = (input: PolicyInput) => string | Promise<string>;

/** One call of `updatePolicy`, as the backend saw it. */
export interface RecordedUpdate {
  readonly step: number;
  /** Trajectories by group: role, reply of each step, and advantage of each step. */
  readonly groups: readonly {
    readonly groupId: string;
    readonly role: string;
    readonly trajectories: readonly {
      readonly replies: readonly string[];
      readonly advantages: readonly (number | readonly number[] | undefined)[];
    }[];
  }[];
}

export interface InMemoryBackendOptions {
  readonly policy: ScriptedPolicy;
  /** Name for `backend.name`; `in-memory` by default. */
  readonly name?: string;
  /** Prompts of more tokens are refused with PROMPT_TOO_LONG. */
  readonly maxPromptTokens?: number;
  /** What stage 5 writes on each step of the batch, for example `values`; say in `capabilities` that it does. */
  readonly annotate?: (step: Step) => void;
  /** What it says it cannot do, to test what a trainer does then. */
  readonly capabilities?: Partial<BackendCapabilities>;
}

interface InMemoryBatch {
  readonly update: RecordedUpdate;
}

const CAPABILITIES: BackendCapabilities = {
  training: true,
  losses: ['importance_sampling', 'ppo', 'cispo', 'dro', 'cross_entropy'],
  defaultLosses: { default: 'importance_sampling' },
  gradientClipping: true,
  learningRateSchedules: ['constant', 'linear', 'cosine'],
  miniBatches: true,
  perTokenAdvantages: true,
  logprobs: true,
  checkpoints: true,
};

const CHECKPOINT_FILE = 'in-memory.json';

/**
 * A backend without a model, for tests of everything around one: its policy is a function, its tokens are words, an update
 * adds each step's advantage to the preference of the reply, and every call is recorded.
 *
 * It is deterministic and instant. Checkpoints hold its version and its preferences.
 */
export class InMemoryBackend implements Backend<InMemoryBatch> {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  readonly rolloutEngine: RolloutEngine = { getModelResponse: (call) => this.#respond(call) };
  readonly tokens: WordTokens = new WordTokens();
  /** Names of the methods called, in order. */
  readonly calls: string[] = [];
  readonly updates: RecordedUpdate[] = [];
  readonly #options: InMemoryBackendOptions;
  readonly #seed: number;
  #preferences = new Map<string, number>();
  #weightVersion = 0;

  constructor(options: InMemoryBackendOptions, seed = 0) {
    this.name = options.name ?? 'in-memory';
    this.capabilities = { ...CAPABILITIES, ...options.capabilities };
    this.#options = options;
    this.#seed = seed;
  }

  get weightVersion(): number {
    return this.#weightVersion;
  }

  /** How much a reply was reinforced so far. */
  preference(reply: string): number {
    return this.#preferences.get(reply) ?? 0;
  }

  async start(): Promise<void> {
    this.calls.push('start');
  }

  transformToBackendBatch(state: TrainerState): InMemoryBatch {
    this.calls.push('transformToBackendBatch');
    return { update: recorded(state) };
  }

  async processBatch(state: TrainerState<InMemoryBatch>): Promise<Metrics> {
    this.calls.push('processBatch');
    const { annotate } = this.#options;
    if (annotate !== undefined) {
      for (const { trajectories } of state.trajectoryGroups) {
        for (const { steps } of trajectories) steps.forEach(annotate);
      }
    }
    return {};
  }

  async updatePolicy(state: TrainerState<InMemoryBatch>): Promise<Metrics> {
    this.calls.push('updatePolicy');
    const update = recorded(state);
    this.updates.push(update);
    let tokens = 0;
    for (const group of state.trajectoryGroups) {
      for (const trajectory of group.trajectories) {
        for (const step of trajectory.steps) {
          this.#reinforce(step.modelResponse, meanOf(step.advantage));
          tokens += step.responseIds.length;
        }
      }
    }
    this.#weightVersion++;
    return { 'optim/tokens': tokens };
  }

  async saveCheckpoint(directory: string): Promise<void> {
    this.calls.push('saveCheckpoint');
    const saved = {
      weightVersion: this.#weightVersion,
      preferences: [...this.#preferences],
      words: this.tokens.words,
    };
    await writeFile(join(directory, CHECKPOINT_FILE), JSON.stringify(saved));
  }

  async loadCheckpoint(directory: string): Promise<void> {
    this.calls.push('loadCheckpoint');
    try {
      const saved = JSON.parse(await readFile(join(directory, CHECKPOINT_FILE), 'utf8')) as {
        readonly weightVersion: number;
        readonly preferences: readonly (readonly [string, number])[];
        readonly words: readonly string[];
      };
      this.#weightVersion = saved.weightVersion;
      this.#preferences = new Map(saved.preferences);
      this.tokens.learn(saved.words);
    } catch (cause) {
      throw new RllmError('CHECKPOINT_INVALID', `${directory} cannot be loaded: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  async shutdown(): Promise<void> {
    this.calls.push('shutdown');
  }

  async #respond(call: ModelCall): Promise<ModelOutput> {
    const promptIds = this.tokens.encodePrompt(call.messages);
    const { maxPromptTokens = Number.POSITIVE_INFINITY, policy } = this.#options;
    if (promptIds.length > maxPromptTokens) {
      throw new RllmError(
        'PROMPT_TOO_LONG',
        `The prompt has ${promptIds.length} tokens, the in-memory backend takes ${maxPromptTokens}.`,
      );
    }
    if (call.signal?.aborted === true) return this.#aborted(promptIds);
    const { mode, step, taskId, rolloutIndex, attempt, call: index } = call.identity;
    const version = this.#weightVersion;
    const path = ['policy', mode, step, taskId, rolloutIndex, attempt, index];
    const text = await policy({
      ...call,
      weightVersion: version,
      preference: (reply) => this.preference(reply),
      random: stream(this.#seed, ...path),
    });
    const whole = this.tokens.encodeReply(text);
    const completionIds = whole.slice(0, call.sampling.maxTokens);
    return {
      text,
      content: text,
      promptIds,
      completionIds,
      logprobs: completionIds.map(() => Math.log(0.5)),
      finishReason: completionIds.length < whole.length ? 'length' : 'stop',
      weightVersion: version,
    };
  }

  #aborted(promptIds: readonly number[]): ModelOutput {
    const weightVersion = this.#weightVersion;
    return {
      text: '',
      content: '',
      promptIds,
      completionIds: [],
      logprobs: [],
      finishReason: 'abort',
      weightVersion,
    };
  }

  #reinforce(reply: string, advantage: number): void {
    this.#preferences.set(reply, this.preference(reply) + advantage);
  }
}

/** The definition of an in-memory backend, for `AppOptions.plugins` or a plugin's `backends`; it keeps what it created. */
export function inMemoryBackend(
  options: InMemoryBackendOptions,
): BackendDefinition & { readonly created: readonly InMemoryBackend[] } {
  const created: InMemoryBackend[] = [];
  return {
    name: options.name ?? 'in-memory',
    summary: 'a scripted policy in memory, for tests',
    options: ANYTHING,
    created,
    create(_options: unknown, { config }: BackendContext): Backend {
      const backend = new InMemoryBackend(options, config.trainer.seed);
      created.push(backend);
      return backend;
    },
  };
}

const ANYTHING: StandardSchema = {
  '~standard': { version: 1, vendor: 'rllm', validate: (value) => ({ value }) },
};

function recorded(state: TrainerState): RecordedUpdate {
  return {
    step: state.globalStep,
    groups: state.trajectoryGroups.map(({ groupId, role, trajectories }) => ({
      groupId,
      role,
      trajectories: trajectories.map(({ steps }) => ({
        replies: steps.map((step) => step.modelResponse),
        advantages: steps.map((step) => step.advantage),
      })),
    })),
  };
}

/** One number for a step's advantage: the mean over its tokens, 0 without one. */
function meanOf(advantage: number | readonly number[] | undefined): number {
  if (typeof advantage === 'number') return advantage;
  if (advantage === undefined || advantage.length === 0) return 0;
  return advantage.reduce((sum, value) => sum + value, 0) / advantage.length;
}
