import { RllmError } from '../errors.js';
import type { ManifestPlugin } from './run-manifest.js';

/** How the plugins of a run differ from those that it was made with. A version is null where there is none. */
export type PluginChange =
  | { readonly name: string; readonly change: 'removed'; readonly before: string | null }
  | { readonly name: string; readonly change: 'added'; readonly after: string | null }
  | {
      readonly name: string;
      readonly change: 'version';
      readonly before: string | null;
      readonly after: string | null;
    };

type Versioned = Pick<ManifestPlugin, 'name' | 'version'>;

/** By name: plugins that are gone, that are new, that have another version. Where they lie is free to change. */
export function pluginChanges(
  before: readonly Versioned[],
  after: readonly Versioned[],
): readonly PluginChange[] {
  const now = versions(after);
  const then = versions(before);
  const changes: PluginChange[] = [];
  for (const [name, version] of then) {
    const other = now.get(name);
    if (other === undefined) changes.push({ name, change: 'removed', before: version });
    else if (other !== version) changes.push({ name, change: 'version', before: version, after: other });
  }
  for (const [name, version] of now) {
    if (!then.has(name)) changes.push({ name, change: 'added', after: version });
  }
  return changes;
}

/** @throws RllmError PLUGIN_CHANGED with a line for each change, when there are any. */
export function assertNoPluginChanges(directory: string, changes: readonly PluginChange[]): void {
  if (changes.length === 0) return;
  const width = Math.max(...changes.map(({ name }) => name.length));
  const lines = changes.map((change) => `  ${change.name.padEnd(width)}  ${changeText(change)}`);
  throw new RllmError(
    'PLUGIN_CHANGED',
    [`The run in ${directory} was made with other plugins than it would go on with:`, ...lines].join('\n'),
    { details: { changes } },
  );
}

function changeText(change: PluginChange): string {
  if (change.change === 'removed') return `${versionText(change.before)} → not named`;
  if (change.change === 'added') return `not named → ${versionText(change.after)}`;
  return `${versionText(change.before)} → ${versionText(change.after)}`;
}

function versionText(version: string | null): string {
  return version ?? 'no version';
}

function versions(plugins: readonly Versioned[]): ReadonlyMap<string, string | null> {
  return new Map(plugins.map(({ name, version }) => [name, version ?? null]));
}
