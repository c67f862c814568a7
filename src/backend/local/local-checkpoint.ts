import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, RllmError } from '../../errors.js';
import { type ModelShape, modelParameters, parameterCount, policyShape } from './model-shape.js';
import { decodeSafetensors, encodeSafetensors, type NamedTensor } from './safetensors.js';
import type { FrozenModels, SharedModel } from './worker-protocol.js';

const WEIGHTS = 'weights.safetensors';
const METADATA = 'local-backend.json';
const FORMAT = 1;

/** All that decides the future of a run. A checkpoint fits only where shape and words are the same. */
export interface SavedModel {
  readonly shape: ModelShape;
  readonly words: readonly string[];
  readonly memory: SharedModel;
  /** The reference is saved, since it may be of this run's start. The teacher has a checkpoint of its own: only a hash of it is. */
  readonly frozen: FrozenModels;
}

interface TensorFile {
  readonly name: string;
  readonly shape: ModelShape;
  readonly buffer: SharedArrayBuffer;
}

function tensorFiles({ shape, memory, frozen: { reference } }: SavedModel): readonly TensorFile[] {
  return [
    { name: WEIGHTS, shape, buffer: memory.weights },
    { name: 'first_moment.safetensors', shape, buffer: memory.firstMoment },
    { name: 'second_moment.safetensors', shape, buffer: memory.secondMoment },
    ...(reference === undefined
      ? []
      : [{ name: 'reference.safetensors', shape: reference.shape, buffer: reference.weights }]),
  ];
}

/**
 * Writes weights, both Adam moments, the reference model and the number of optimiser steps into an existing folder. There is no random
 * state: every random number is addressed by seed, step and rollout.
 */
export async function writeLocalCheckpoint(
  directory: string,
  model: SavedModel,
  weightVersion: number,
): Promise<void> {
  for (const { name: file, shape: parts, buffer } of tensorFiles(model)) {
    const flat = new Float32Array(buffer).slice();
    const tensors = modelParameters(parts).map(
      ({ name, shape, offset, size }): NamedTensor => ({
        name,
        shape,
        data: flat.subarray(offset, offset + size),
      }),
    );
    await writeFile(join(directory, file), encodeSafetensors(tensors, { format: 'rllm-sdk' }));
  }
  const metadata = {
    format: FORMAT,
    weightVersion,
    shape: model.shape,
    vocabulary: vocabularyHash(model.words),
    ...teacherHash(model.frozen),
  };
  await writeFile(join(directory, METADATA), `${JSON.stringify(metadata, null, 2)}\n`);
}

/**
 * Reads a checkpoint into the shared memory; nothing is changed unless all of it fits.
 *
 * @returns  the number of optimiser steps.
 * @throws   RllmError CHECKPOINT_INVALID when a file is missing or damaged, or the model, vocabulary or teacher is another.
 */
export async function readLocalCheckpoint(directory: string, model: SavedModel): Promise<number> {
  const weightVersion = checkMetadata(await readMetadata(directory), model, directory);
  const files = tensorFiles(model);
  const flats = await Promise.all(files.map(({ name, shape }) => readTensors(join(directory, name), shape)));
  for (const [i, { buffer }] of files.entries()) new Float32Array(buffer).set(flats[i] as Float32Array);
  return weightVersion;
}

/**
 * The policy of a checkpoint, whatever its size, without its critic.
 *
 * @throws RllmError CHECKPOINT_INVALID when a file is missing or damaged, its words are others, or it reads fewer than `contextLength` tokens.
 */
export async function readPolicy(
  directory: string,
  { words, contextLength }: { readonly words: readonly string[]; readonly contextLength: number },
): Promise<{ readonly shape: ModelShape; readonly flat: Float32Array }> {
  const metadata = await readMetadata(directory);
  checkOrigin(metadata, words, directory);
  const parsed = shapeSchema.safeParse(metadata['shape']);
  if (!parsed.success) throw invalid(directory, 'it does not say the shape of its model');
  const shape = policyShape(parsed.data);
  if (shape.contextLength < contextLength) {
    throw invalid(
      directory,
      `its model reads ${shape.contextLength} tokens, fewer than the contextLength ${contextLength} of the config`,
    );
  }
  return { shape, flat: await readTensors(join(directory, WEIGHTS), shape) };
}

const size = z.int().positive();
const shapeSchema: z.ZodType<ModelShape> = z.object({
  vocabularySize: size,
  dModel: size,
  nLayers: size,
  nHeads: size,
  dFf: size,
  contextLength: size,
});

async function readTensors(path: string, shape: ModelShape): Promise<Float32Array> {
  const { tensors } = decodeSafetensors(await read(path), path);
  const flat = new Float32Array(parameterCount(shape));
  for (const { name, shape: expected, offset } of modelParameters(shape)) {
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

/** @returns  the checkpoint's weightVersion. */
function checkMetadata(
  metadata: Record<string, unknown>,
  { shape, words, frozen }: SavedModel,
  directory: string,
): number {
  checkOrigin(metadata, words, directory);
  const { weightVersion, shape: saved, teacher } = metadata;
  for (const [name, expected] of Object.entries(shape)) {
    const found = (saved as Record<string, unknown> | undefined)?.[name];
    if (found === expected) continue;
    if (name === 'valueHead')
      throw invalid(directory, 'its model has no value head, and the config asks for a critic');
    throw invalid(directory, `its model has ${name} ${JSON.stringify(found)}, the config says ${expected}`);
  }
  const own = teacherHash(frozen).teacher;
  if (teacher !== undefined && own !== undefined && teacher !== own)
    throw invalid(directory, 'it was trained with another teacher than that of the config');
  if (typeof weightVersion !== 'number') throw invalid(directory, 'it does not say its weightVersion');
  return weightVersion;
}

function checkOrigin(
  { format, vocabulary }: Record<string, unknown>,
  words: readonly string[],
  directory: string,
): void {
  if (format !== FORMAT)
    throw invalid(directory, `its format is ${JSON.stringify(format)}, expected ${FORMAT}`);
  if (vocabulary !== vocabularyHash(words))
    throw invalid(directory, 'its vocabulary is another than that of the config');
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw invalid(path, messageOf(cause), cause);
  }
}

function vocabularyHash(words: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

function teacherHash({ teacher }: FrozenModels): { readonly teacher?: string } {
  if (teacher === undefined) return {};
  return { teacher: createHash('sha256').update(new Uint8Array(teacher.weights)).digest('hex') };
}

function invalid(path: string, what: string, cause?: unknown): RllmError {
  return new RllmError('CHECKPOINT_INVALID', `${path} does not fit this run: ${what}.`, { cause });
}
