import { declarationsOf } from '../../declarations.js';
import type { LoadedPlugin } from '../../plugin-host/index.js';
import type { ConfigOptions } from '../options.js';
import { pluginText } from '../plugin-text.js';
import { readConfig } from '../read-config.js';
import { fieldLines } from '../render/table-lines.js';
import { openScreen } from '../screen.js';
import { withApp } from '../with-app.js';

/** `rllm plugins list`: each plugin of the configuration with its file, what it brings and what it overrides. */
export async function listPlugins(options: ConfigOptions): Promise<number> {
  const loaded = await readConfig(options, false);
  const plugins = await withApp(loaded, { run: null }, (app) => app.plugins);
  if (options.json === true) {
    const rows = plugins.map((plugin) => ({
      name: plugin.name,
      version: plugin.version ?? null,
      path: plugin.path ?? null,
      brings: plugin.brings,
      overrides: overridesOf(plugin),
    }));
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

function fieldsOf(plugin: LoadedPlugin): readonly (readonly [string, string])[] {
  const { estimators, groupingHooks, backends, workflows, trackers, hooks } = plugin.brings;
  const fields: readonly (readonly [string, readonly string[]])[] = [
    ['estimators', estimators],
    ['grouping hooks', groupingHooks],
    ['backends', backends],
    ['workflows', workflows],
    ['trackers', trackers],
    ['lifecycle hooks', hooks],
    ['overrides', overridesOf(plugin)],
  ];
  const filled = fields.filter(([, names]) => names.length > 0);
  return filled.map(([kind, names]) => [kind, names.join(', ')] as const);
}

/** Names that the plugin takes over from an earlier owner. */
function overridesOf({ definition, declarations }: LoadedPlugin): readonly string[] {
  const { estimators = [], groupingHooks = [], workflows = [] } = definition;
  const own = [...estimators, ...groupingHooks, ...workflows].flatMap(declarationsOf);
  const overriding = [...own, ...declarations].filter((declaration) => declaration.override);
  return [...new Set(overriding.map((declaration) => declaration.name))];
}
