import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Companions } from './companions.js';
import { readPolicy } from './local-checkpoint.js';
import { type ModelShape, parameterCount, policyShape } from './model-shape.js';
import type { FrozenModel, FrozenModels } from './worker-protocol.js';

/** Where the trainer's checkpoints keep the part of their backend. */
const BACKEND_FOLDER = 'backend';

/** Where checkpoints are looked up, and what their models must be able to read. */
export interface FrozenModelNeeds {
  readonly baseDirectory: string;
  readonly words: readonly string[];
  /** Of the policy. */
  readonly shape: ModelShape;
}

/**
 * The frozen models of a run. A reference that is the policy's own beginning has no weights yet: see `copyWeights`.
 *
 * @throws RllmError CHECKPOINT_INVALID when files are missing or damaged, or a model is no match.
 */
export async function frozenModels(
  { reference, teacher }: Companions,
  needs: FrozenModelNeeds,
): Promise<FrozenModels> {
  return {
    ...(reference === undefined
      ? {}
      : {
          reference:
            reference === 'initial'
              ? emptyModel(policyShape(needs.shape))
              : await readFrozenModel(reference.checkpoint, needs),
        }),
    ...(teacher === undefined ? {} : { teacher: await readFrozenModel(teacher.checkpoint, needs) }),
  };
}

/** Takes over the weights of the policy; a critic's, which come last, are left out. */
export function copyWeights({ weights }: FrozenModel, from: SharedArrayBuffer): void {
  new Float32Array(weights).set(new Float32Array(from, 0, weights.byteLength / 4));
}

/** @param folder  of a checkpoint, or of the local backend's part in it. */
async function readFrozenModel(
  folder: string,
  { baseDirectory, words, shape: { contextLength } }: FrozenModelNeeds,
): Promise<FrozenModel> {
  const directory = resolve(baseDirectory, folder);
  const inner = join(directory, BACKEND_FOLDER);
  const isWhole = await access(inner).then(
    () => true,
    () => false,
  );
  const { shape, flat } = await readPolicy(isWhole ? inner : directory, { words, contextLength });
  const model = emptyModel(shape);
  new Float32Array(model.weights).set(flat);
  return model;
}

function emptyModel(shape: ModelShape): FrozenModel {
  return { shape, weights: new SharedArrayBuffer(4 * parameterCount(shape)) };
}
