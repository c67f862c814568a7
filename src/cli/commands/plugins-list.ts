import type { LoadedPlugin, PluginContents } from '../../plugin-host/index.js';
import type { ConfigOptions } from '../options.js';
import { pluginText } from '../plugin-text.js';
import { readConfig } from '../read-config.js';
import { fieldLines } from '../render/table-lines.js';
import { openScreen } from '../screen.js';
import { withApp } from '../with-app.js';

const KINDS: Readonly<Record<keyof PluginContents, string>> = {
  estimators: 'estimators',
  groupingHooks: 'grouping hooks',
  backends: 'backends',
  workflows: 'workflows',
  rewards: 'rewards',
  datasets: 'dataset sources',
  trackers: 'trackers',
  commands: 'commands',
  hooks: 'lifecycle hooks',
  bindings: 'bindings',
};

/** `rllm plugins list`: each plugin of the configuration with its version, its file, what it brings and what it overrides. */
export async function listPlugins(options: ConfigOptions): Promise<number> {
  const loaded = await readConfig(options, false);
  const plugins = await withApp(loaded, { run: null, validateOnly: true }, (app) => app.plugins);
  if (options.json === true) {
    const rows = plugins.map(({ name, version = null, path = null, spec, brings, overrides }) => {
      return { name, version, spec, path, brings, overrides };
    });
    process.stdout.write(`${JSON.stringify(rows)}\n`);
    return 0;
  }
  const screen = openScreen(process.stdout, process.env, options);
  if (plugins.length === 0) screen.write('The configuration names no plugins.\n');
  for (const plugin of plugins) {
    screen.write(`${screen.paint('bold', pluginText(plugin))}\n`);
    for (const line of fieldLines(fieldsOf(plugin), screen.paint)) screen.write(`${line}\n`);
  }
  return 0;
}

/** The kinds that it brings something of, and what it overrides of all kinds. */
function fieldsOf({ brings, overrides }: LoadedPlugin): readonly (readonly [string, string])[] {
  const own = namesByKind(brings);
  const replaced = namesByKind(overrides).map(([kind, names]) => `${names} (${kind})`);
  return replaced.length === 0 ? own : [...own, ['overrides', replaced.join(', ')]];
}

function namesByKind(contents: PluginContents): readonly (readonly [string, string])[] {
  const kinds = Object.keys(KINDS) as (keyof PluginContents)[];
  return kinds.flatMap((kind) => {
    const names = contents[kind];
    return names.length === 0 ? [] : [[KINDS[kind], names.join(', ')] as const];
  });
}
