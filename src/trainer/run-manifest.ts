import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, RllmError } from '../errors.js';
import type { RunStatus } from '../tracking/index.js';
import { SDK_VERSION } from '../version.js';
import type { PluginChange } from './plugin-changes.js';
import type { RunStop } from './run-steering.js';

/** A plugin as the manifest records it. */
export interface ManifestPlugin {
  readonly name: string;
  /** Null for a file of the user's own. */
  readonly version?: string | null;
  /** The file that was evaluated; null for one given in code. */
  readonly path?: string | null;
  /** Names of what it brought, `setup` included, by kind: `{ estimators: ['opo'] }`. */
  readonly brings?: NamesByKind;
  /** The part of it that took the place of what was there before. */
  readonly overrides?: NamesByKind;
}

export type NamesByKind = Readonly<Record<string, readonly string[]>>;

/** How a run ended, each time it did. */
export interface RunEnd {
  /** ISO 8601. */
  readonly time: string;
  readonly status: RunStatus;
  readonly step: number;
  readonly stopped: RunStop | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface RunResumption {
  /** ISO 8601. */
  readonly time: string;
  readonly step: number;
  /** How the end before it was; null after a kill. */
  readonly ended: RunEnd | null;
  /** What changed about the plugins, if that was allowed. */
  readonly pluginChanges?: readonly PluginChange[];
}

/** `manifest.json`: what made a run, and how it ended. Written before its first number, and again after its last. */
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
  /** Each time the run was gone on with. */
  readonly resumed: readonly RunResumption[];
  /** How it ended; null while it goes on, and after a kill. */
  readonly ended: RunEnd | null;
}

/**
 * The manifest of a run that is gone on with now.
 *
 * @param plugins  what it goes on with; those of before when absent.
 */
export function resumedManifest(
  manifest: RunManifest,
  resumption: Pick<RunResumption, 'step' | 'pluginChanges'>,
  plugins: readonly ManifestPlugin[] = manifest.plugins,
): RunManifest {
  const { step, pluginChanges = [] } = resumption;
  const entry = {
    time: new Date().toISOString(),
    step,
    ended: manifest.ended ?? null,
    ...(pluginChanges.length === 0 ? {} : { pluginChanges }),
  };
  return { ...manifest, plugins, resumed: [...manifest.resumed, entry], ended: null };
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
    ended: null,
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
