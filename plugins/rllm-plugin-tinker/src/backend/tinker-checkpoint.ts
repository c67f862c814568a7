import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RllmError } from 'rllm-sdk';
import { z } from 'zod';

const FILE = 'tinker.json';

/** Where the engine keeps a checkpoint, and what fits it. The weights stay at the engine; the file is all that is local. */
export interface TinkerCheckpoint {
  readonly format: 1;
  /** Adapter and optimizer at the engine: `tinker://RUN/weights/NAME`. */
  readonly statePath: string;
  /** The same weights to sample from, for whoever serves them. */
  readonly samplerPath: string;
  readonly baseModel: string;
  readonly loraRank: number;
  /** Optimiser steps taken, which is Adam's own count. */
  readonly weightVersion: number;
  readonly engine: string;
  readonly modelId: string;
}

const checkpointSchema: z.ZodType<TinkerCheckpoint> = z.strictObject({
  format: z.literal(1),
  statePath: z.string().min(1),
  samplerPath: z.string().min(1),
  baseModel: z.string().min(1),
  loraRank: z.int().positive(),
  weightVersion: z.int().nonnegative(),
  engine: z.string(),
  modelId: z.string(),
});

/** Writes `tinker.json` into an existing folder. */
export async function writeTinkerCheckpoint(
  directory: string,
  checkpoint: Omit<TinkerCheckpoint, 'format'>,
): Promise<void> {
  await writeFile(join(directory, FILE), `${JSON.stringify({ format: 1, ...checkpoint }, null, 2)}\n`);
}

/**
 * Reads it back.
 *
 * @param expected  what the config says; only what the adapter's shape depends on has to be the same.
 * @throws RllmError CHECKPOINT_INVALID when it is missing, damaged or of another model.
 */
export async function readTinkerCheckpoint(
  directory: string,
  expected: Pick<TinkerCheckpoint, 'baseModel' | 'loraRank'>,
): Promise<TinkerCheckpoint> {
  const path = join(directory, FILE);
  let checkpoint: TinkerCheckpoint;
  try {
    checkpoint = checkpointSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw checkpointFault(path, `it cannot be read (${why})`, cause);
  }
  for (const key of ['baseModel', 'loraRank'] as const) {
    if (checkpoint[key] === expected[key]) continue;
    const [found, wanted] = [checkpoint[key], expected[key]].map((value) => JSON.stringify(value));
    throw checkpointFault(path, `its ${key} is ${found}, the config says ${wanted}`);
  }
  return checkpoint;
}

/** An error about a checkpoint that cannot be used. */
export function checkpointFault(path: string, what: string, cause?: unknown): RllmError {
  return new RllmError('CHECKPOINT_INVALID', `${path} does not fit this run: ${what}.`, { cause });
}
