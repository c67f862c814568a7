import { basename, dirname, join, resolve } from 'node:path';
import type { Json } from '../types/index.js';
import { type LatestCheckpoint, latestCheckpoint, readCheckpoint } from './checkpoint.js';
import { assertNoPluginChanges, type PluginChange, pluginChanges } from './plugin-changes.js';
import { type ManifestPlugin, type RunManifest, readManifest } from './run-manifest.js';

export interface ResumeOptions {
  /** What `config.json` shall hold from now on; it stays as it is when absent. */
  readonly configRecord?: Json | undefined;
  /** Those that the run goes on with; nothing is checked and the record stays when absent. */
  readonly plugins?: readonly ManifestPlugin[] | undefined;
  /** Go on although plugins are missing, new, or of another version; the manifest tells of it. */
  readonly allowPluginChange?: boolean | undefined;
}

/** What a run is gone on with. */
export interface Resumed extends LatestCheckpoint {
  readonly plugins: readonly ManifestPlugin[];
  readonly pluginChanges: readonly PluginChange[];
}

/**
 * Finds a run to go on with, and where: at its latest complete checkpoint, or at the one that the folder names. Only looks.
 *
 * @throws RllmError what `RunFolder.resume` throws.
 */
export async function findRun(
  directory: string,
  options: ResumeOptions,
): Promise<{ readonly run: string; readonly manifest: RunManifest; readonly resumed: Resumed }> {
  const { run, checkpoint: named } = placeOf(directory);
  const manifest = await readManifest(run);
  const plugins = options.plugins ?? manifest.plugins;
  const changes = pluginChanges(manifest.plugins, plugins);
  if (options.allowPluginChange !== true) assertNoPluginChanges(run, changes);
  const latest =
    named === null
      ? await latestCheckpoint(join(run, 'checkpoints'))
      : { checkpoint: await readCheckpoint(named), passedOver: [] };
  return { run, manifest, resumed: { ...latest, plugins, pluginChanges: changes } };
}

/** The run's folder that a folder names: itself, or that of the checkpoint. */
export function runOf(directory: string): string {
  return placeOf(directory).run;
}

function placeOf(directory: string): { readonly run: string; readonly checkpoint: string | null } {
  const named = resolve(directory);
  const isCheckpoint = /^step-\d+$/.test(basename(named)) && basename(dirname(named)) === 'checkpoints';
  return isCheckpoint
    ? { run: dirname(dirname(named)), checkpoint: named }
    : { run: named, checkpoint: null };
}
