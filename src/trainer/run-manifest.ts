import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, RllmError } from '../errors.js';
import { SDK_VERSION } from '../version.js';

/** A plugin as the manifest records it. */
export interface ManifestPlugin {
  readonly name: string;
  readonly version?: string | undefined;
  readonly path?: string | undefined;
}

/** `manifest.json`: what made a run. Written before its first number. */
export interface RunManifest {
  readonly runId: string;
  readonly project: string;
  readonly experiment: string;
  readonly sdk: string;
  readonly node: string;
  readonly platform: string;
  readonly plugins: readonly ManifestPlugin[];
  readonly seed: number;
  /** ISO 8601. */
  readonly started: string;
  /** The command line, where there was one. */
  readonly command: string | null;
  /** Each time the run was gone on with: when, and from which step. */
  readonly resumed: readonly { readonly time: string; readonly step: number }[];
}

export const MANIFEST_FILE = 'manifest.json';

export function newManifest(
  run: Pick<RunManifest, 'runId' | 'project' | 'experiment' | 'plugins' | 'seed' | 'started' | 'command'>,
): RunManifest {
  return {
    ...run,
    sdk: SDK_VERSION,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    resumed: [],
  };
}

/** @throws RllmError RUN_DIR_INVALID when the folder is not that of a run. */
export async function readManifest(directory: string): Promise<RunManifest> {
  try {
    return JSON.parse(await readFile(join(directory, MANIFEST_FILE), 'utf8')) as RunManifest;
  } catch (cause) {
    throw new RllmError(
      'RUN_DIR_INVALID',
      `${directory} is not the folder of a run: its ${MANIFEST_FILE} cannot be read (${messageOf(cause)}).`,
      { cause },
    );
  }
}
