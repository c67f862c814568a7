import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, RllmError } from '../../errors.js';
import { type ModelShape, modelParameters } from './model-shape.js';
import { decodeSafetensors, encodeSafetensors, type NamedTensor } from './safetensors.js';
import type { SharedModel } from './worker-protocol.js';

const FILES = {
  weights: 'weights.safetensors',
  firstMoment: 'first_moment.safetensors',
  secondMoment: 'second_moment.safetensors',
} as const;
const METADATA = 'local-backend.json';
const FORMAT = 1;

/** What tells one model from another: a checkpoint fits only where this is the same. */
export interface ModelIdentity {
  readonly shape: ModelShape;
  readonly words: readonly string[];
}

/**
 * Writes weights, both Adam moments and the number of optimiser steps into an existing folder. There is no random state: every random
 * number is addressed by seed, step and rollout.
 */
export async function writeLocalCheckpoint(
  directory: string,
  identity: ModelIdentity,
  memory: SharedModel,
  weightVersion: number,
): Promise<void> {
  for (const part of PARTS) {
    const flat = new Float32Array(memory[part]).slice();
    const tensors = modelParameters(identity.shape).map(
      ({ name, shape, offset, size }): NamedTensor => ({
        name,
        shape,
        data: flat.subarray(offset, offset + size),
      }),
    );
    await writeFile(join(directory, FILES[part]), encodeSafetensors(tensors, { format: 'rllm-sdk' }));
  }
  const metadata = {
    format: FORMAT,
    weightVersion,
    shape: identity.shape,
    vocabulary: vocabularyHash(identity),
  };
  await writeFile(join(directory, METADATA), `${JSON.stringify(metadata, null, 2)}\n`);
}

/**
 * Reads a checkpoint into the shared memory; nothing is changed unless all of it fits.
 *
 * @returns  the number of optimiser steps.
 * @throws   RllmError CHECKPOINT_INVALID when a file is missing or damaged, or the model or vocabulary is another.
 */
export async function readLocalCheckpoint(
  directory: string,
  identity: ModelIdentity,
  memory: SharedModel,
): Promise<number> {
  const weightVersion = checkMetadata(await readMetadata(directory), identity, directory);
  const flats = await Promise.all(
    PARTS.map((part) => readPart(join(directory, FILES[part]), identity.shape)),
  );
  for (const [i, part] of PARTS.entries()) new Float32Array(memory[part]).set(flats[i] as Float32Array);
  return weightVersion;
}

const PARTS = ['weights', 'firstMoment', 'secondMoment'] as const;

async function readPart(path: string, shape: ModelShape): Promise<Float32Array> {
  const { tensors } = decodeSafetensors(await read(path), path);
  const parameters = modelParameters(shape);
  const flat = new Float32Array(parameters.reduce((sum, { size }) => sum + size, 0));
  for (const { name, shape: expected, offset } of parameters) {
    const found = tensors.get(name);
    if (found === undefined || found.shape.join() !== expected.join()) {
      throw invalid(
        path,
        `tensor "${name}" should have shape [${expected}], not ${found === undefined ? 'be missing' : `[${found.shape}]`}`,
      );
    }
    flat.set(found.data, offset);
  }
  return flat;
}

async function readMetadata(directory: string): Promise<Record<string, unknown>> {
  const path = join(directory, METADATA);
  try {
    return JSON.parse(new TextDecoder().decode(await read(path))) as Record<string, unknown>;
  } catch (cause) {
    throw RllmError.isInstance(cause) ? cause : invalid(path, `it is not JSON (${messageOf(cause)})`, cause);
  }
}

function checkMetadata(
  metadata: Record<string, unknown>,
  identity: ModelIdentity,
  directory: string,
): number {
  const { format, weightVersion, shape, vocabulary } = metadata;
  if (format !== FORMAT)
    throw invalid(directory, `its format is ${JSON.stringify(format)}, expected ${FORMAT}`);
  for (const [name, expected] of Object.entries(identity.shape)) {
    const found = (shape as Record<string, unknown> | undefined)?.[name];
    if (found !== expected)
      throw invalid(directory, `its model has ${name} ${JSON.stringify(found)}, the config says ${expected}`);
  }
  if (vocabulary !== vocabularyHash(identity))
    throw invalid(directory, 'its vocabulary is another than that of the config');
  if (typeof weightVersion !== 'number') throw invalid(directory, 'it does not say its weightVersion');
  return weightVersion;
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw invalid(path, messageOf(cause), cause);
  }
}

function vocabularyHash({ words }: ModelIdentity): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

function invalid(path: string, what: string, cause?: unknown): RllmError {
  return new RllmError('CHECKPOINT_INVALID', `${path} does not fit this run: ${what}.`, { cause });
}
