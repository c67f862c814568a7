import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { Requirement } from '../../../src/advantage/index.js';
import type { LocalBackend } from '../../../src/backend/local/local-backend.js';
import type { RowBatch } from '../../../src/backend/row-batch.js';
import type { AlgorithmConfig } from '../../../src/config/types.js';
import type { ModelCall } from '../../../src/rollout/index.js';
import type { Metrics, ModelOutput, TrainerState, Trajectory } from '../../../src/types/index.js';
import { createLocal, localConfig, rawOptions, step, trajectory } from './build-local.js';

const started: LocalBackend[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((backend) => backend.shutdown()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** A started backend; shut down after the test. */
export async function start(
  algorithm: Partial<AlgorithmConfig> = {},
  raw: Record<string, unknown> = rawOptions(),
  seed = 1,
  requirements: readonly Requirement[] = [],
): Promise<LocalBackend> {
  const config = localConfig({ learningRate: 0.01, ...algorithm }, seed);
  const backend = await createLocal(raw, config, requirements);
  started.push(backend);
  await backend.start();
  return backend;
}

/** A folder that goes after the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rllm-local-'));
  folders.push(folder);
  return folder;
}

/** A call for three words after `a b`. */
export function call(
  fields: Partial<ModelCall> & { readonly rolloutIndex?: number; readonly step?: number } = {},
): ModelCall {
  const { rolloutIndex = 0, step: atStep = 1, ...rest } = fields;
  return {
    messages: [{ role: 'user', content: 'a b' }],
    sampling: { temperature: 1, topP: 1, maxTokens: 3 },
    identity: { mode: 'train', step: atStep, taskId: 'task', rolloutIndex, attempt: 1, call: 0 },
    ...rest,
  };
}

export function asTrajectory(
  { promptIds, completionIds, logprobs, weightVersion }: ModelOutput,
  advantage: number,
): Trajectory {
  const sampled = step({ promptIds, responseIds: completionIds, logprobs, advantage });
  return trajectory(weightVersion === undefined ? sampled : { ...sampled, weightVersion });
}

/** Stages 4, 5 and 7. */
export async function update(backend: LocalBackend, state: TrainerState<RowBatch>): Promise<Metrics> {
  state.backendBatch = backend.transformToBackendBatch(state);
  const metrics = await backend.processBatch(state);
  return { ...metrics, ...(await backend.updatePolicy(state)) };
}

/** Weights and moments as a checkpoint has them. */
export async function savedBytes(backend: LocalBackend): Promise<Uint8Array[]> {
  const folder = await newFolder();
  await backend.saveCheckpoint(folder);
  const files = ['weights', 'first_moment', 'second_moment'].map((name) =>
    readFile(join(folder, `${name}.safetensors`)),
  );
  return Promise.all(files);
}
