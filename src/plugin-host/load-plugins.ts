import { awaiting } from '../awaited-parts.js';
import { type CheckedOptions, checkOptions, withoutOptions } from '../check-options.js';
import type { PluginReference } from '../config/types.js';
import { harvest } from '../declarations.js';
import { messageOf, RllmError } from '../errors.js';
import { type Logger, SILENT } from '../logger.js';
import { SDK_VERSION } from '../version.js';
import { whyWrongVersion } from './check-version.js';
import { importPlugin } from './import-plugin.js';
import { contentsOf, type LoadedPlugin, NO_CONTENTS } from './loaded-plugin.js';
import { PLUGIN_API_VERSION, type PluginDefinition } from './plugin.js';
import { type PluginFault, type PluginPlace, pluginFault } from './plugin-fault.js';
import { pluginProblems, type ShapeProblem } from './plugin-shape.js';
import { isSameDeclaration, type PluginExports, readPluginModule } from './read-plugin-module.js';
import { type ResolvedPlugin, resolvePlugin } from './resolve-plugin.js';

export interface LoadPluginsOptions {
  /** The config file, named in faults; `null` for a config given in code. */
  readonly file?: string | null;
  /** Folder from which packages and files are looked for: that of the config file. */
  readonly directory: string;
  /** Plugins given in code, after those of the config. */
  readonly inline?: readonly InlinePlugin[];
  readonly logger?: Logger;
}

export interface LoadPluginsResult {
  /** In the order in which the config names them; those with a fault are left out. */
  readonly plugins: readonly LoadedPlugin[];
  readonly faults: readonly PluginFault[];
}

/** A plugin that is an object in the user's program instead of a name in a file. */
export type InlinePlugin =
  | PluginDefinition
  | { readonly use: PluginDefinition; readonly options?: Readonly<Record<string, unknown>> };

type Outcome =
  | { readonly plugin: LoadedPlugin; readonly exports?: PluginExports }
  | { readonly faults: readonly PluginFault[] };

/**
 * Finds, checks and evaluates the plugins that a config names, and only those. Loading a plugin runs its code with the
 * user's rights; what can be checked before (where it is, which SDK it was made for) is.
 *
 * It never throws for a plugin's fault: all faults of all plugins come back together.
 */
export async function loadPlugins(
  references: readonly PluginReference[],
  { file = null, directory, inline = [], logger = SILENT }: LoadPluginsOptions,
): Promise<LoadPluginsResult> {
  const outcomes: Outcome[] = [];
  const urls = new Map<string, string>();
  for (const [i, { use, options }] of references.entries()) {
    const place = { file, path: `plugins[${i}]`, plugin: use };
    const found = resolvePlugin(use, directory);
    if (!('url' in found)) {
      outcomes.push({ faults: [pluginFault(place, found.reason, found)] });
      continue;
    }
    const earlier = urls.get(found.url);
    if (earlier !== undefined) {
      outcomes.push({ faults: [pluginFault(place, `is the same file as ${earlier}: ${found.path}`)] });
      continue;
    }
    urls.set(found.url, place.path);
    const outcome = await loadFile(place, found, options, directory);
    if ('plugin' in outcome) logger.debug(`plugin ${outcome.plugin.name} from ${found.path}`);
    outcomes.push(outcome);
  }
  for (const [i, given] of inline.entries()) outcomes.push(await checkInline(given, i));
  return settle(outcomes, file);
}

async function checkInline(given: InlinePlugin, i: number): Promise<Outcome> {
  const { use, options = {} } = 'use' in given ? given : { use: given };
  const path = `options.plugins[${i}]`;
  const place = { file: null, path, plugin: typeof use?.name === 'string' ? use.name : path };
  return finish(place, {}, { definition: use, declarations: [], exported: [] }, options);
}

async function loadFile(
  place: PluginPlace,
  found: ResolvedPlugin,
  options: Readonly<Record<string, unknown>>,
  directory: string,
): Promise<Outcome> {
  const wrongVersion = whyWrongVersion(found.manifest, SDK_VERSION);
  if (wrongVersion !== undefined) return { faults: [pluginFault(place, wrongVersion)] };
  let exports: PluginExports;
  try {
    const { module, declarations } = await harvest(found.url, () =>
      awaiting(`the import of plugin "${place.plugin}"`, () => importPlugin(found.url, directory)),
    );
    exports = readPluginModule(module, declarations);
  } catch (cause) {
    return { faults: thrownFaults(place, cause) };
  }
  if (exports.definition === undefined && exports.declarations.length === 0) {
    const reason = `brings nothing: ${found.path} exports neither a definePlugin() object nor anything decorated`;
    return { faults: [pluginFault(place, reason)] };
  }
  return finish(place, found, exports, options);
}

/** What a module threw while it was evaluated; the problems that `definePlugin` found are told one by one. */
function thrownFaults(place: PluginPlace, cause: unknown): readonly PluginFault[] {
  const problems =
    RllmError.isInstance(cause) && cause.code === 'PLUGIN_INVALID' && cause.details['problems'];
  if (Array.isArray(problems)) return shapeFaults(place, problems as readonly ShapeProblem[]);
  return [pluginFault(place, `threw while it was loaded: ${messageOf(cause)}`, { cause })];
}

function shapeFaults(place: PluginPlace, problems: readonly ShapeProblem[]): readonly PluginFault[] {
  return problems.map(({ at, message }) =>
    pluginFault(place, `is not a valid plugin: ${at.slice(1) || 'its definition'} ${message}`),
  );
}

async function finish(
  place: PluginPlace,
  { path, manifest }: Partial<ResolvedPlugin>,
  exports: PluginExports,
  given: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const name = manifest?.name ?? place.plugin;
  const definition = (exports.definition ?? { name, apiVersion: PLUGIN_API_VERSION }) as PluginDefinition;
  const problems = pluginProblems(definition);
  if (problems.length > 0) return { faults: shapeFaults(place, problems) };
  const named = { ...place, plugin: definition.name };
  const options = await pluginOptions(definition, given);
  if (options.problems.length > 0) {
    return {
      faults: options.problems.map(({ at, message, cause }) =>
        pluginFault(named, `has an option that it cannot take: ${message}`, { at: `.options${at}`, cause }),
      ),
    };
  }
  const version = definition.version ?? manifest?.version;
  const plugin: LoadedPlugin = {
    name: definition.name,
    ...(version === undefined ? {} : { version }),
    spec: place.plugin,
    configPath: place.path,
    ...(path === undefined ? {} : { path }),
    definition,
    options: options.value,
    declarations: exports.declarations,
    brings: contentsOf(definition, exports.declarations),
    overrides: NO_CONTENTS,
  };
  return { plugin, exports };
}

/** Without a schema a plugin takes no options, since it would be for nobody to say what they mean. */
async function pluginOptions(
  { options: schema }: PluginDefinition,
  given: Readonly<Record<string, unknown>>,
): Promise<CheckedOptions> {
  return schema === undefined ? withoutOptions(given, 'it takes none') : checkOptions(schema, given);
}

/** Gives each declaration to the plugin that exports it, and refuses a second plugin of one name. */
function settle(outcomes: readonly Outcome[], file: string | null): LoadPluginsResult {
  const plugins: LoadedPlugin[] = [];
  const faults: PluginFault[] = [];
  for (const outcome of outcomes) {
    if ('faults' in outcome) {
      faults.push(...outcome.faults);
      continue;
    }
    const plugin = withoutForeign(outcome.plugin, outcomes);
    const earlier = plugins.find(({ name }) => name === plugin.name);
    if (earlier === undefined) plugins.push(plugin);
    else {
      const place = { file, path: plugin.configPath, plugin: plugin.name };
      const [first, second] = [earlier, plugin].map(({ path, configPath }) => path ?? configPath);
      faults.push(pluginFault(place, `has the name of an earlier plugin: ${first} and ${second}`));
    }
  }
  return { plugins, faults };
}

/** A plugin that imports another's module evaluates it, and so seems to have declared what the other exports. */
function withoutForeign(plugin: LoadedPlugin, outcomes: readonly Outcome[]): LoadedPlugin {
  const others = outcomes.flatMap((outcome) =>
    'plugin' in outcome && outcome.plugin.configPath !== plugin.configPath
      ? (outcome.exports?.exported ?? [])
      : [],
  );
  const own = outcomes.flatMap((outcome) =>
    'plugin' in outcome && outcome.plugin.configPath === plugin.configPath
      ? (outcome.exports?.exported ?? [])
      : [],
  );
  const declarations = plugin.declarations.filter(
    (one) => own.some((d) => isSameDeclaration(d, one)) || !others.some((d) => isSameDeclaration(d, one)),
  );
  return { ...plugin, declarations, brings: contentsOf(plugin.definition, declarations) };
}
