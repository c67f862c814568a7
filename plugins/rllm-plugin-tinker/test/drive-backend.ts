import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Backend,
  type BackendContext,
  createStep,
  createTrajectory,
  DEFAULT_CONFIG,
  type Logger,
  type Message,
  type Metrics,
  type ModelCall,
  type ModelOutput,
  type RllmConfig,
  type SamplingParams,
  SILENT,
  type TrainerState,
  type TrajectoryGroup,
} from 'rllm-sdk';
import { type FakeRequest, FakeTinker, type FakeTinkerOptions } from 'rllm-tinker-client/testing';
import { onTestFinished, vi } from 'vitest';
import { tinkerBackend } from '../src/index.js';
import { CHATML, writeTinyModel } from './tiny-model.js';

export const BASE_MODEL = 'fake/bigram';
const VOCABULARY = 320;

export interface Setting {
  readonly algorithm?: Partial<RllmConfig['algorithm']>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly requirements?: BackendContext['requirements'];
  readonly logger?: Logger;
  readonly template?: string;
  /** Settings of `rollout.train`. */
  readonly sampling?: Partial<RllmConfig['rollout']['train']>;
}

/** A fake engine that is closed with the test. */
export async function fakeEngine(options: FakeTinkerOptions = {}): Promise<FakeTinker> {
  const server = await FakeTinker.start({ vocabSize: VOCABULARY, baseModel: BASE_MODEL, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A folder that is removed with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rllm-tinker-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The options for a fake engine, with a tiny tokenizer. */
export async function optionsFor(
  server: FakeTinker,
  setting: Setting = {},
): Promise<Record<string, unknown>> {
  const tokenizer = await temporaryFolder();
  vi.stubEnv('TINKER_API_KEY', 'tml-of-a-test');
  onTestFinished(() => void vi.unstubAllEnvs());
  await writeTinyModel(tokenizer, setting.template ?? CHATML);
  return { baseUrl: server.url, model: BASE_MODEL, tokenizer, selfCheck: 'off', ...setting.options };
}

/** A backend on the server, not started. */
export async function newBackend(server: FakeTinker, setting: Setting = {}): Promise<Backend> {
  const options = await optionsFor(server, setting);
  const parsed = await tinkerBackend.options['~standard'].validate(options);
  if (parsed.issues !== undefined) throw new Error(parsed.issues.map(({ message }) => message).join());
  const config: RllmConfig = {
    ...DEFAULT_CONFIG,
    algorithm: { ...DEFAULT_CONFIG.algorithm, learningRate: 0.3, ...setting.algorithm },
    rollout: {
      ...DEFAULT_CONFIG.rollout,
      train: { ...DEFAULT_CONFIG.rollout.train, ...setting.sampling },
    },
  };
  const { requirements } = setting;

  const backend = tinkerBackend.create(parsed.value, {
    config,
    logger: setting.logger ?? SILENT,
    signal: new AbortController().signal,
    ...(requirements === undefined ? {} : { requirements }),
  });
  onTestFinished(() => backend.shutdown());
  return backend;
}

/** A backend on the server, started. */
export async function startedBackend(server: FakeTinker, setting: Setting = {}): Promise<Backend> {
  const backend = await newBackend(server, setting);
  await backend.start();
  return backend;
}

/** A model call of rollout `rolloutIndex` in training step `step`. */
export function callOf(
  messages: readonly Message[],
  where: Partial<ModelCall['identity']> = {},
  sampling: SamplingParams = {},
): ModelCall {
  return {
    messages,
    sampling: { temperature: 1, topP: 1, maxTokens: 1, ...sampling },
    identity: { mode: 'train', step: 1, taskId: 't', rolloutIndex: 0, attempt: 1, call: 0, ...where },
  };
}

/** In a script: asks the training side for the log-probs of other tokens than those that were sampled. */
export function shiftTargets({ body }: FakeRequest): undefined {
  const { data } = body!['forward_input'] as {
    readonly data: readonly { readonly loss_fn_inputs: { readonly target_tokens: { data: number[] } } }[];
  };
  for (const { loss_fn_inputs } of data) {
    const { target_tokens: targets } = loss_fn_inputs;
    targets.data = targets.data.map((token) => (token + 1) % 256);
  }
}

/** What a reply is worth. */
export type Judge = (output: ModelOutput) => number;

/** Three tenths of the vocabulary are worth something. */
export const isLow: Judge = ({ completionIds }) => (completionIds[0]! < 96 ? 1 : 0);

/** One group for each role, sampled from the backend, with advantages reward − mean. */
export async function sampledGroups(
  backend: Backend,
  step: number,
  {
    roles = ['agent'],
    size = 16,
    judge = isLow,
  }: { roles?: readonly string[]; size?: number; judge?: Judge } = {},
): Promise<readonly TrajectoryGroup[]> {
  return Promise.all(
    roles.map(async (role) => {
      const outputs = await Promise.all(
        Array.from({ length: size }, (_, rolloutIndex) =>
          backend.rolloutEngine.getModelResponse(
            callOf([{ role: 'user', content: role }], { step, taskId: role, rolloutIndex }),
          ),
        ),
      );
      const rewards = outputs.map(judge);
      const mean = rewards.reduce((a, b) => a + b, 0) / size;
      const trajectories = outputs.map((modelOutput, i) =>
        createTrajectory({
          name: role,
          reward: rewards[i]!,
          steps: [createStep({ modelOutput, advantage: rewards[i]! - mean })],
        }),
      );
      return { groupId: role, role, taskId: role, trajectories, metadata: [] };
    }),
  );
}

/** Takes groups through the backend's stages, as the trainer does. */
export async function train(
  backend: Backend,
  globalStep: number,
  trajectoryGroups: readonly TrajectoryGroup[],
): Promise<Metrics> {
  const state: TrainerState = {
    globalStep,
    epoch: 0,
    totalSteps: 10,
    episodes: [],
    trajectoryGroups,
    backendBatch: undefined,
    metrics: {},
    timings: {},
    rejection: { episodes: [], groups: [], partialSolveTasks: 0 },
  };
  state.backendBatch = backend.transformToBackendBatch(state);
  const processed = await backend.processBatch(state);
  return { ...processed, ...(await backend.updatePolicy(state)) };
}

/** Mean reward of groups. */
export function meanReward(groups: readonly TrajectoryGroup[]): number {
  const rewards = groups.flatMap(({ trajectories }) => trajectories.map(({ reward }) => reward ?? 0));
  return rewards.reduce((a, b) => a + b, 0) / rewards.length;
}
