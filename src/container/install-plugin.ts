import { awaiting } from '../awaited-parts.js';
import type { RllmConfig } from '../config/index.js';
import { messageOf, RllmError } from '../errors.js';
import type { Logger } from '../logger.js';
import { type LoadedPlugin, type PluginFault, pluginFault } from '../plugin-host/index.js';
import type { PluginHooks } from '../trainer/index.js';
import type { PluginBindings } from './plugin-bindings.js';
import { openContext } from './plugin-context.js';
import { addDeclaration, type Registries } from './registries.js';
import type { Teardown } from './teardown.js';

/** What plugins are installed into. */
export interface InstallTarget {
  readonly registries: Registries;
  readonly bindings: PluginBindings;
  readonly hooks: PluginHooks[];
  readonly teardown: Teardown;
  readonly config: RllmConfig;
  readonly logger: Logger;
  /** The config file, for faults. */
  readonly file: string | null;
}

/**
 * Puts what a plugin brings into an app: what its definition lists, what its module declares, what its `setup` adds.
 * Parts that are in order go in even if others are not, so that one fault does not make ten.
 *
 * @returns the plugin, which now says what it has brought, `setup` included.
 */
export async function installPlugin(
  plugin: LoadedPlugin,
  owner: string,
  target: InstallTarget,
): Promise<{ readonly installed: LoadedPlugin; readonly faults: readonly PluginFault[] }> {
  const { definition, declarations, name } = plugin;
  const faults: PluginFault[] = [];
  const place = { file: target.file, path: plugin.configPath, plugin: name };
  const fail = (what: string, cause: unknown): void => {
    faults.push(pluginFault(place, `${what}: ${messageOf(cause)}`, { cause }));
  };
  const each = <T>(parts: readonly T[] = [], add: (part: T) => void): void => {
    for (const part of parts) {
      try {
        add(part);
      } catch (cause) {
        fail('cannot be installed', cause);
      }
    }
  };
  const { context, contents, overrides, close } = openContext(plugin, owner, target);
  each(definition.estimators, context.addEstimator);
  each(definition.groupingHooks, context.addGroupingHook);
  // What the definition lists has gone in by its list, or has its fault already.
  const { estimators = [], groupingHooks = [], workflows = [], rewards = [] } = definition;
  const listed: readonly unknown[] = [...estimators, ...groupingHooks, ...workflows, ...rewards];
  const others = declarations.filter((declaration) => !listed.includes(declaration.target));
  each(others, (declaration) => addDeclaration(declaration, owner, target.registries));
  each(definition.backends, context.addBackend);
  each(definition.workflows, context.addWorkflow);
  each(definition.rewards, context.addReward);
  each(definition.datasets, context.addDataset);
  each(definition.trackers, context.addTracker);
  each(definition.commands, context.addCommand);
  if (definition.hooks !== undefined) context.addHooks(definition.hooks);
  try {
    await awaiting(`the setup() of plugin "${name}"`, () => definition.setup?.(context));
  } catch (cause) {
    fail(RllmError.isInstance(cause) ? 'could not be set up' : 'threw in setup()', cause);
  }
  close();
  return { installed: { ...plugin, brings: contents(), overrides: overrides() }, faults };
}
