import type { Requirement } from '../../../src/advantage/index.js';
import { localBackend } from '../../../src/backend/local/index.js';
import { LocalBackend } from '../../../src/backend/local/local-backend.js';
import type { AlgorithmConfig, RllmConfig } from '../../../src/config/types.js';
import { SILENT } from '../../../src/logger.js';
import type { Step, TrainerState, Trajectory, TrajectoryGroup } from '../../../src/types/index.js';
import { EMPTY_REJECTION_STATE } from '../../../src/types/index.js';

export const ALGORITHM: AlgorithmConfig = {
  estimator: 'grpo',
  estimatorMap: {},
  estimatorOptions: {},
  stepwiseAdvantageMode: 'broadcast',
  normAdvByStdInGrpo: false,
  usePrecomputedAdvantage: false,
  loneTrajectory: 'reward',
  missingReward: 'error',
  advantageClip: null,
  rewardClip: { min: null, max: null },
  lengthPenalty: null,
  klInReward: { coefficient: 0, estimator: 'k1' },
  lossFn: null,
  lossFnMap: {},
  lossConfig: { clipLowThreshold: null, clipHighThreshold: null, beta: null },
  learningRate: null,
  lrSchedule: 'constant',
  warmupStepsRatio: 0,
  adam: { beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0 },
  maxGradNorm: 1,
  miniBatches: 1,
  updateEpochs: 1,
};

/** The parts of a configuration that the local backend reads. */
export function localConfig(algorithm: Partial<AlgorithmConfig> = {}, seed = 1): RllmConfig {
  return { algorithm: { ...ALGORITHM, ...algorithm }, trainer: { seed } } as RllmConfig;
}

/** Options as a config file would give them, over a small model of ten words. */
export function rawOptions(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    vocabulary: { words: ['<bos>', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'], bos: '<bos>' },
    model: { dModel: 16, nLayers: 1, nHeads: 2, contextLength: 12 },
    ...overrides,
  };
}

export async function validated(raw: Record<string, unknown>): Promise<unknown> {
  const result = await localBackend.options['~standard'].validate(raw);
  if (result.issues !== undefined) throw new Error(result.issues.map(({ message }) => message).join('; '));
  return result.value;
}

export async function createLocal(
  raw: Record<string, unknown> = rawOptions(),
  config: RllmConfig = localConfig(),
  requirements: readonly Requirement[] = [],
  baseDirectory?: string,
): Promise<LocalBackend> {
  const backend = localBackend.create(await validated(raw), {
    config,
    logger: SILENT,
    signal: new AbortController().signal,
    requirements: new Set(requirements),
    ...(baseDirectory === undefined ? {} : { baseDirectory }),
  });
  if (!(backend instanceof LocalBackend)) throw new Error('not the local backend');
  return backend;
}

export function step(fields: Partial<Step>): Step {
  return {
    id: 's',
    promptIds: [0],
    responseIds: [],
    logprobs: [],
    chatCompletions: [],
    modelResponse: '',
    reward: 0,
    done: false,
    mcReturn: 0,
    info: {},
    ...fields,
  };
}

export function trajectory(...steps: readonly Step[]): Trajectory {
  return { uid: 't', name: 'solver', steps: [...steps], info: {} };
}

export function group(role: string, trajectories: readonly Trajectory[]): TrajectoryGroup {
  return { groupId: role, role, taskId: 'task', trajectories, metadata: [] };
}

export function trainerState<Batch>(
  globalStep: number,
  trajectoryGroups: readonly TrajectoryGroup[],
  totalSteps = 100,
): TrainerState<Batch> {
  return {
    globalStep,
    epoch: 0,
    totalSteps,
    episodes: [],
    trajectoryGroups,
    backendBatch: undefined,
    metrics: {},
    timings: {},
    rejection: EMPTY_REJECTION_STATE,
  };
}
