import { declarationsOf } from '../declarations.js';
import { RllmError } from '../errors.js';
import {
  contentsOf,
  type LoadedPlugin,
  NO_CONTENTS,
  PLUGIN_API_VERSION,
  type PluginContents,
  type PluginContext,
  type PluginDefinition,
  pluginProblems,
  pointsOf,
} from '../plugin-host/index.js';
import type { InstallTarget } from './install-plugin.js';
import { bindingName } from './plugin-bindings.js';
import { addDeclaration } from './registries.js';
import { ownersOf, replaced } from './replaced.js';

/** The small context of `setup`, and what has been added through it. */
export interface InstallContext {
  readonly context: PluginContext;
  /** Names of all that the plugin has brought so far. */
  contents(): PluginContents;
  /** Names of that part of it which took the place of what was there. */
  overrides(): PluginContents;
  /** From now on nothing more can be added, but for what is to be disposed. */
  close(): void;
}

type Parts = Omit<PluginDefinition, 'name' | 'apiVersion' | 'version' | 'options' | 'setup'>;
type DeclaredParts = Pick<Parts, 'estimators' | 'groupingHooks' | 'rewards'>;

/** Parts are checked as those of a definition are, since a plugin in JavaScript may hand over anything. */
export function openContext(plugin: LoadedPlugin, owner: string, target: InstallTarget): InstallContext {
  const { registries, bindings, teardown, hooks } = target;
  const { name } = plugin;
  const before = ownersOf(registries);
  const added: Parts[] = [];
  const bound = new Set<string>();
  const rebound = new Set<string>();
  let isClosed = false;

  const assertOpen = (): void => {
    if (!isClosed) return;
    throw new RllmError('REGISTRY_FROZEN', `Plugin "${name}" adds a part after its setup() has ended.`);
  };
  const add = (part: Parts, register: () => void): void => {
    assertOpen();
    const [problem] = pluginProblems({ name, apiVersion: PLUGIN_API_VERSION, ...part });
    if (problem !== undefined)
      throw new RllmError('PLUGIN_INVALID', `${problem.at.slice(1)} ${problem.message}`);
    register();
    added.push(part);
  };
  const addDeclared = (part: DeclaredParts): void => {
    const [target] = Object.values(part).flat();
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
    addReward: (reward) => addDeclared({ rewards: [reward] }),
    addBackend: (backend) =>
      add({ backends: [backend] }, () => registries.backends.add(backend.name, backend, owner)),
    addDataset: (source) =>
      add({ datasets: [source] }, () => registries.datasets.add(source.name, source, owner)),
    addTracker: (tracker) =>
      add({ trackers: [tracker] }, () => registries.trackers.add(tracker.name, tracker, owner)),
    addCommand: (command) =>
      add({ commands: [command] }, () => registries.commands.add(command.name, command, owner)),
    addWorkflow: (workflow) =>
      add({ workflows: [workflow] }, () => {
        const override = declarationsOf(workflow).some((declaration) => declaration.override);
        registries.workflows.add(workflow.name, workflow, owner, { override });
      }),
    addHooks: (more) => add({ hooks: more }, () => hooks.push({ plugin: name, hooks: more })),
    bind: (token, part, options) => {
      assertOpen();
      const isRebound = bindings.bind(token, part, owner, options);
      bound.add(bindingName(token));
      if (isRebound) rebound.add(bindingName(token));
    },
    onDispose: (dispose) => teardown.defer(`plugin "${name}"`, dispose),
  };
  return {
    context,
    contents: () => ({
      ...contentsOf(merged(plugin, added), plugin.declarations),
      hooks: [...new Set(added.flatMap((part) => pointsOf(part.hooks)))],
      bindings: [...bound],
    }),
    overrides: () => ({
      ...NO_CONTENTS,
      ...replaced(before, ownersOf(registries)),
      bindings: [...rebound],
    }),
    close: () => {
      isClosed = true;
    },
  };
}

/** A definition that lists all parts, but for hooks, which are looked at one by one. */
function merged({ name }: LoadedPlugin, parts: readonly Parts[]): PluginDefinition {
  return {
    name,
    apiVersion: PLUGIN_API_VERSION,
    estimators: parts.flatMap(({ estimators = [] }) => estimators),
    groupingHooks: parts.flatMap(({ groupingHooks = [] }) => groupingHooks),
    backends: parts.flatMap(({ backends = [] }) => backends),
    workflows: parts.flatMap(({ workflows = [] }) => workflows),
    rewards: parts.flatMap(({ rewards = [] }) => rewards),
    datasets: parts.flatMap(({ datasets = [] }) => datasets),
    trackers: parts.flatMap(({ trackers = [] }) => trackers),
    commands: parts.flatMap(({ commands = [] }) => commands),
  };
}
