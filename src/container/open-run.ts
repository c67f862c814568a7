import type { DependencyContainer } from 'tsyringe';
import type { LoadedConfig } from '../config/index.js';
import type { LoadedPlugin, PluginContents } from '../plugin-host/index.js';
import {
  assertNoPluginChanges,
  type ManifestPlugin,
  type NamesByKind,
  pluginChanges,
  RunFolder,
} from '../trainer/index.js';
import type { RunTarget } from './app.js';
import { configRecord } from './config-record.js';
import { resolveToken } from './resolve-token.js';
import { CONFIG } from './tokens.js';

/**
 * The folder of a new run, or of one to go on with; nothing is written yet.
 *
 * @throws RllmError RUN_DIR_INVALID, CHECKPOINT_INVALID, PLUGIN_CHANGED
 */
export function openRun(
  { directory, resume, command, allowPluginChange }: RunTarget,
  parts: {
    readonly container: DependencyContainer;
    readonly loaded: LoadedConfig;
    readonly plugins: readonly LoadedPlugin[];
  },
): Promise<RunFolder> {
  const { container, loaded } = parts;
  const config = resolveToken(container, CONFIG);
  const record = configRecord(config, loaded);
  const plugins = parts.plugins.map(manifestPlugin);
  if (resume !== undefined) {
    return RunFolder.resume(resume, { configRecord: record, plugins, allowPluginChange });
  }
  return RunFolder.create({
    config,
    configRecord: record,
    runDir: directory,
    baseDirectory: loaded.directory,
    plugins,
    command,
  });
}

/**
 * Refuses, before any plugin is set up, to go on with a run that was made with others. A folder that is not that of a run is
 * left for `openRun` to refuse.
 *
 * @throws RllmError PLUGIN_CHANGED
 */
export async function checkResumedPlugins(
  { resume, allowPluginChange }: RunTarget,
  plugins: readonly LoadedPlugin[],
): Promise<void> {
  if (resume === undefined || allowPluginChange === true) return;
  const before = await RunFolder.pluginsOf(resume).catch(() => undefined);
  if (before !== undefined) assertNoPluginChanges(resume, pluginChanges(before, plugins));
}

function manifestPlugin({ name, version, path, brings, overrides }: LoadedPlugin): ManifestPlugin {
  return {
    name,
    version: version ?? null,
    path: path ?? null,
    brings: filled(brings),
    overrides: filled(overrides),
  };
}

/** Kinds of which there is something. */
function filled(contents: PluginContents): NamesByKind {
  return Object.fromEntries(Object.entries(contents).filter(([, names]) => names.length > 0));
}
