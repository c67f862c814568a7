import type { Requirement } from '../advantage/index.js';
import type { Backend, BackendCapabilities, BackendContext, BackendDefinition } from '../backend/index.js';
import { checkOptions, checkOptionsNow } from '../check-options.js';
import {
  type AlgorithmConfig,
  type RllmConfig,
  type RllmConfigInput,
  resolveConfig,
} from '../config/index.js';
import { SILENT } from '../logger.js';
import type { CallIdentity, ModelCall } from '../rollout/index.js';
import {
  createStep,
  createTrajectory,
  EMPTY_REJECTION_STATE,
  type Message,
  type ModelOutput,
  type Step,
  type TrainerState,
  type TrajectoryGroup,
} from '../types/index.js';

export interface BackendContractOptions {
  /** `backend.options` of the backend; none without. Choose small ones: each check starts a backend of its own. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Settings that the backend reads besides: `{ algorithm: { learningRate: 0.1 } }`. */
  readonly config?: RllmConfigInput;
  /** A conversation that the backend can read. By default a user who says `hello`. */
  readonly messages?: readonly Message[];
  /** One that leaves no room for a completion; by default that of `messages` with the last text a great many times. `null`: none is too long. */
  readonly tooLong?: readonly Message[] | null;
  /** Sampled tokens per completion; 4 by default. */
  readonly maxTokens?: number;
  /** Equal calls give equal outputs, as a rollout engine promises. False for servers that cannot; default true. */
  readonly deterministic?: boolean;
  /** Updates within which a reply that pays must be given more often; 0 leaves that out. Default 30. */
  readonly updates?: number;
  /** Folder of relative paths in the options. */
  readonly baseDirectory?: string;
}

/** The backend under test: opened anew for each check, called as the trainer calls it. */
export class BackendSubject {
  readonly definition: BackendDefinition;
  readonly messages: readonly Message[];
  readonly #options: BackendContractOptions;

  constructor(definition: BackendDefinition, options: BackendContractOptions) {
    this.definition = definition;
    this.messages = options.messages ?? [{ role: 'user', content: 'hello' }];
    this.#options = options;
  }

  /**
   * What it can do with these options; what the definition says where no backend can be built at once.
   *
   * @throws Error when there is neither.
   */
  capabilities(): BackendCapabilities {
    const { capabilities, options, create } = this.definition;
    const { value, problems } = checkOptionsNow(options, this.#options.options ?? {});
    if (problems.length > 0 && capabilities !== undefined) return capabilities;
    refuse(problems);
    return create.call(this.definition, value, this.#context(this.config())).capabilities;
  }

  /** A whole config that names the backend, for apps. */
  input(algorithm: Partial<AlgorithmConfig> = {}): RllmConfigInput {
    const { config = {}, options = {} } = this.#options;
    const { name } = this.definition;
    return {
      ...config,
      backend: { name, options: { [name]: options } },
      algorithm: { ...config.algorithm, ...algorithm },
    };
  }

  config(algorithm: Partial<AlgorithmConfig> = {}): RllmConfig {
    return resolveConfig(this.input(algorithm));
  }

  /** Builds a backend that is not started. */
  async build(
    algorithm: Partial<AlgorithmConfig> = {},
    requirements: readonly Requirement[] = [],
  ): Promise<Backend> {
    const config = this.config(algorithm);
    const { value, problems } = await checkOptions(this.definition.options, this.#options.options ?? {});
    refuse(problems);
    refuse(
      (this.definition.check?.(config, value) ?? []).map(({ path, message }) => ({
        at: ` ${path}`,
        message,
      })),
    );
    return this.definition.create(value, this.#context(config, requirements));
  }

  /** Starts a backend, uses it, and shuts it down. */
  async use<T>(
    work: (backend: Backend) => Promise<T>,
    algorithm: Partial<AlgorithmConfig> = {},
    requirements: readonly Requirement[] = [],
  ): Promise<T> {
    const backend = await this.build(algorithm, requirements);
    try {
      await backend.start();
      if (backend.capabilities.training) await backend.onTrainStart?.(stateOf(0, []));
      return await work(backend);
    } finally {
      await backend.shutdown();
    }
  }

  call(identity: Partial<CallIdentity> = {}, more: Partial<ModelCall> = {}): ModelCall {
    return {
      messages: this.messages,
      sampling: { temperature: 1, topP: 1, maxTokens: this.#options.maxTokens ?? 4 },
      identity: { mode: 'train', step: 1, taskId: 'task', rolloutIndex: 0, attempt: 1, call: 0, ...identity },
      ...more,
    };
  }

  /** `n` completions of rollouts that go on side by side. */
  sample(backend: Backend, n: number, step = 1, sampling?: ModelCall['sampling']): Promise<ModelOutput[]> {
    return Promise.all(
      Array.from({ length: n }, (_, rolloutIndex) =>
        backend.rolloutEngine.getModelResponse(
          this.call({ step, rolloutIndex }, sampling === undefined ? {} : { sampling }),
        ),
      ),
    );
  }

  /** Completions as the trajectories of one group; advantages come later. */
  group(outputs: readonly ModelOutput[]): TrajectoryGroup {
    return {
      groupId: 'task:agent',
      role: 'agent',
      taskId: 'task',
      trajectories: outputs.map((modelOutput, i) =>
        createTrajectory({
          uid: `task:${i}`,
          name: 'agent',
          reward: i % 2,
          steps: [
            createStep({
              id: `task:${i}:0`,
              modelOutput,
              chatCompletions: [...this.messages, { role: 'assistant', content: modelOutput.content }],
            }),
          ],
        }),
      ),
      metadata: outputs.map((_, rolloutIndex) => ({
        taskId: 'task',
        rolloutIndex,
        isCorrect: rolloutIndex % 2 === 1,
      })),
    };
  }

  /** Stages 4, 5, 6 and 7, in the order and with the hooks of the trainer. @returns what both stages report. */
  async update(
    backend: Backend,
    outputs: readonly ModelOutput[],
    advantage: (step: Step, i: number) => Step['advantage'],
    globalStep = 1,
  ): Promise<Record<string, number>> {
    const group = this.group(outputs);
    const state = stateOf(globalStep, [group]);
    await backend.onBatchStart?.(state);
    state.backendBatch = backend.transformToBackendBatch(state);
    const processed = await backend.processBatch(state);
    group.trajectories.forEach(({ steps }, i) => {
      for (const step of steps) {
        const value = advantage(step, i);
        if (value !== undefined) step.advantage = value;
      }
    });
    const updated = await backend.updatePolicy(state);
    await backend.onBatchEnd?.(state);
    return { ...processed, ...updated };
  }

  #context(config: RllmConfig, requirements: readonly Requirement[] = []): BackendContext {
    const { baseDirectory } = this.#options;
    return {
      config,
      logger: SILENT,
      signal: new AbortController().signal,
      requirements: new Set(requirements),
      ...(baseDirectory === undefined ? {} : { baseDirectory }),
    };
  }
}

/** What the trainer keeps at a step. */
export function stateOf(globalStep: number, trajectoryGroups: readonly TrajectoryGroup[]): TrainerState {
  return {
    globalStep,
    epoch: 0,
    totalSteps: 100,
    episodes: [],
    trajectoryGroups,
    backendBatch: undefined,
    metrics: {},
    timings: {},
    rejection: EMPTY_REJECTION_STATE,
  };
}

function refuse(problems: readonly { readonly at: string; readonly message: string }[]): void {
  if (problems.length === 0) return;
  throw new Error(
    `its options are refused: ${problems.map(({ at, message }) => `${at} ${message}`).join('; ')}`,
  );
}
