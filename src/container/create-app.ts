import { type ConfigFault, configError, type LoadedConfig, type RllmConfigInput } from '../config/index.js';
import { programDeclarations } from '../declarations.js';
import { messageOf, RllmError } from '../errors.js';
import { SILENT } from '../logger.js';
import { type LoadedPlugin, loadPlugins, type PluginFault } from '../plugin-host/index.js';
import type { UnifiedTrainer } from '../trainer/index.js';
import type { WorkflowDefinition } from '../workflow/index.js';
import type { App, AppOptions } from './app.js';
import { bindChosenParts } from './bind-chosen-parts.js';
import { createBindings, registriesOf } from './bind-parts.js';
import { builtInPlugin } from './built-in-plugin.js';
import { appFaults } from './check-app-options.js';
import { checkParts, type PartsReport } from './check-parts.js';
import { chooseBackend } from './choose-backend.js';
import { type InstallTarget, installPlugin } from './install-plugin.js';
import { openConfig } from './open-config.js';
import { checkResumedPlugins } from './open-run.js';
import { openTrainer } from './open-trainer.js';
import { PluginBindings } from './plugin-bindings.js';
import { addDeclaration, freezeAll, type Registries } from './registries.js';
import { resolveToken } from './resolve-token.js';
import { startError } from './start-error.js';
import { Teardown } from './teardown.js';
import { CONFIG, LOGGER, WORKFLOW } from './tokens.js';

const PROGRAM = 'program';

/**
 * Puts an app together: the one place where parts meet.
 *
 * In this order: config, plugins, container, override, registries (built-in parts, plugins as they are named, what the program
 * itself has declared), freeze, checks. Nothing is started and nothing is written: that is for `app.trainer()`.
 *
 * @param input  a config in code, or what `loadConfig` gave.
 * @throws RllmError CONFIG_INVALID for options that there are not, else with every fault of the config, of plugins and of names; PLUGIN_INVALID or
 *   CAPABILITY_MISSING when there are faults of that kind alone. What plugins had opened is released first.
 */
export async function createApp(
  input: RllmConfigInput | LoadedConfig = {},
  options: AppOptions = {},
): Promise<App> {
  const teardown = new Teardown();
  try {
    return await build(input, options, teardown);
  } catch (thrown) {
    await teardown.dispose().catch(() => undefined);
    throw thrown;
  }
}

async function build(
  input: RllmConfigInput | LoadedConfig,
  options: AppOptions,
  teardown: Teardown,
): Promise<App> {
  const wrong = appFaults(input, options);
  if (wrong.length > 0) throw configError(wrong);
  const loaded = openConfig(input, options.baseDirectory);
  const { file, directory } = loaded;
  const found = await loadPlugins(loaded.config.plugins, {
    file,
    directory,
    inline: options.plugins ?? [],
    logger: options.logger ?? SILENT,
  });
  if (found.faults.length === 0) await checkResumedPlugins(options.run ?? {}, found.plugins);

  const container = createBindings(loaded.config, options.logger ?? SILENT);
  const workflow = workflowGiven(options.workflow);
  if (workflow !== undefined) container.registerInstance(WORKFLOW, workflow);
  options.override?.(container);

  const config = resolveToken(container, CONFIG);
  const logger = resolveToken(container, LOGGER);
  const registries = registriesOf(container);
  const bindings = new PluginBindings(container);
  const target: InstallTarget = { registries, bindings, hooks: [], teardown, config, logger, file };
  const { plugins, faults: pluginFaults } = await installAll(found.plugins, target);
  const declaredFaults = options.useDeclared === false ? [] : installDeclared(registries, workflow);
  if (workflow !== undefined) registries.workflows.add(workflow.name, workflow, PROGRAM, { override: true });
  freezeAll(registries);

  const stop = new AbortController();
  const backend = await chooseBackend(config, registries.backends);
  let report: PartsReport | undefined;
  bindChosenParts(container, {
    backend,
    checked: () => report,
    hooks: target.hooks,
    registries,
    loaded,
    teardown,
    options,
    signal: stop.signal,
  });
  report = await checkParts(container, loaded, registries, options.validateOnly === true);
  const error = startError(
    {
      config: [...loaded.faults, ...declaredFaults],
      plugins: [...found.faults, ...pluginFaults],
      settings: [
        ...report.settings,
        ...backend.otherFaults,
        ...(options.complete === true ? report.leftOut : []),
      ],
      capabilities: report.capabilities,
    },
    loaded,
  );
  if (error !== undefined) throw error;
  const { datasets } = report;
  const incomplete = startError({ settings: report.leftOut }, loaded);

  let opening: Promise<UnifiedTrainer> | undefined;
  const dispose = (): Promise<void> => {
    stop.abort(new RllmError('ABORTED', 'The app was disposed.'));
    return teardown.dispose();
  };
  return {
    ...registries,
    config,
    loaded,
    plugins,
    trainer() {
      opening ??=
        incomplete === undefined
          ? openTrainer({ container, loaded, options, plugins, teardown, datasets, signal: stop.signal })
          : Promise.reject(incomplete);
      return opening;
    },
    resolve: (token) => resolveToken(container, token),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Installs the built-in parts and then every plugin, in order. */
async function installAll(
  found: readonly LoadedPlugin[],
  target: InstallTarget,
): Promise<{ readonly plugins: readonly LoadedPlugin[]; readonly faults: readonly PluginFault[] }> {
  const builtIn = await loadPlugins([], { directory: '.', inline: [builtInPlugin] });
  const plugins: LoadedPlugin[] = [];
  const faults: PluginFault[] = [...builtIn.faults];
  for (const plugin of builtIn.plugins)
    faults.push(...(await installPlugin(plugin, 'built-in', target)).faults);
  for (const plugin of found) {
    const owner = plugin.version === undefined ? plugin.name : `${plugin.name}@${plugin.version}`;
    const outcome = await installPlugin(plugin, owner, target);
    plugins.push(outcome.installed);
    faults.push(...outcome.faults);
  }
  return { plugins, faults };
}

/** What the program declared outside any plugin. A workflow given to the app stands for all others of its name. */
function installDeclared(
  registries: Registries,
  workflow: WorkflowDefinition | undefined,
): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  for (const declaration of programDeclarations()) {
    if (declaration.kind === 'workflow' && declaration.name === workflow?.name) continue;
    try {
      addDeclaration(declaration, PROGRAM, registries);
    } catch (thrown) {
      faults.push({ file: null, where: PROGRAM, path: '', message: messageOf(thrown) });
    }
  }
  return faults;
}

function workflowGiven(workflow: AppOptions['workflow']): WorkflowDefinition | undefined {
  if (typeof workflow !== 'function') return workflow;
  return { name: workflow.name || 'workflow', run: workflow };
}
