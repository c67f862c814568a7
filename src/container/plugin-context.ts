import { declarationsOf } from '../declarations.js';
import { RllmError } from '../errors.js';
import {
  contentsOf,
  type LoadedPlugin,
  PLUGIN_API_VERSION,
  type PluginContents,
  type PluginContext,
  type PluginDefinition,
  pluginProblems,
} from '../plugin-host/index.js';
import type { InstallTarget } from './install-plugin.js';
import { addDeclaration } from './registries.js';

/** The small context of `setup`, and what has been added through it. */
export interface InstallContext {
  readonly context: PluginContext;
  /** Names of all that the plugin has brought so far. */
  contents(): PluginContents;
  /** From now on nothing more can be added, but for what is to be disposed. */
  close(): void;
}

type Parts = Pick<
  PluginDefinition,
  'backends' | 'workflows' | 'trackers' | 'estimators' | 'groupingHooks' | 'hooks'
>;

/** Parts are checked as those of a definition are, since a plugin in JavaScript may hand over anything. */
export function openContext(plugin: LoadedPlugin, owner: string, target: InstallTarget): InstallContext {
  const { registries, teardown, hooks } = target;
  const { name } = plugin;
  const added: Parts[] = [];
  let isClosed = false;

  const add = (part: Parts, register: () => void): void => {
    if (isClosed) {
      throw new RllmError('REGISTRY_FROZEN', `Plugin "${name}" adds a part after its setup() has ended.`);
    }
    const [problem] = pluginProblems({ name, apiVersion: PLUGIN_API_VERSION, ...part });
    if (problem !== undefined)
      throw new RllmError('PLUGIN_INVALID', `${problem.at.slice(1)} ${problem.message}`);
    register();
    added.push(part);
  };
  const addDeclared = (part: Pick<Parts, 'estimators' | 'groupingHooks'>): void => {
    const [target] = [...(part.estimators ?? []), ...(part.groupingHooks ?? [])];
    add(part, () => {
      for (const declaration of declarationsOf(target)) addDeclaration(declaration, owner, registries);
    });
  };
  const context: PluginContext = {
    options: plugin.options,
    config: target.config,
    logger: target.logger,
    addEstimator: (estimator) => addDeclared({ estimators: [estimator] }),
    addGroupingHook: (hook) => addDeclared({ groupingHooks: [hook] }),
    addBackend: (backend) =>
      add({ backends: [backend] }, () => registries.backends.add(backend.name, backend, owner)),
    addTracker: (tracker) =>
      add({ trackers: [tracker] }, () => registries.trackers.add(tracker.name, tracker, owner)),
    addWorkflow: (workflow) =>
      add({ workflows: [workflow] }, () => {
        const override = declarationsOf(workflow).some((declaration) => declaration.override);
        registries.workflows.add(workflow.name, workflow, owner, { override });
      }),
    addHooks: (more) => add({ hooks: more }, () => hooks.push({ plugin: name, hooks: more })),
    onDispose: (dispose) => teardown.defer(`plugin "${name}"`, dispose),
  };
  return {
    context,
    contents: () => contentsOf(merged(plugin, added), plugin.declarations),
    close: () => {
      isClosed = true;
    },
  };
}

function merged({ name }: LoadedPlugin, parts: readonly Parts[]): PluginDefinition {
  return {
    name,
    apiVersion: PLUGIN_API_VERSION,
    estimators: parts.flatMap(({ estimators = [] }) => estimators),
    groupingHooks: parts.flatMap(({ groupingHooks = [] }) => groupingHooks),
    backends: parts.flatMap(({ backends = [] }) => backends),
    workflows: parts.flatMap(({ workflows = [] }) => workflows),
    trackers: parts.flatMap(({ trackers = [] }) => trackers),
    hooks: Object.assign({}, ...parts.map(({ hooks = {} }) => hooks)),
  };
}
