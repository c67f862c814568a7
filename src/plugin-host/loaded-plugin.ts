import { type Declaration, declarationsOf } from '../declarations.js';
import { pointsOf } from './hook-points.js';
import type { PluginDefinition } from './plugin.js';

/** Names of what a plugin brings, by kind. */
export interface PluginContents {
  readonly estimators: readonly string[];
  readonly groupingHooks: readonly string[];
  readonly backends: readonly string[];
  readonly workflows: readonly string[];
  readonly rewards: readonly string[];
  readonly datasets: readonly string[];
  readonly trackers: readonly string[];
  readonly commands: readonly string[];
  /** Names of the lifecycle hooks it listens to. */
  readonly hooks: readonly string[];
  /** Tokens that it binds. */
  readonly bindings: readonly string[];
}

/** The contents of a plugin that brings nothing. */
export const NO_CONTENTS: PluginContents = {
  estimators: [],
  groupingHooks: [],
  backends: [],
  workflows: [],
  rewards: [],
  datasets: [],
  trackers: [],
  commands: [],
  hooks: [],
  bindings: [],
};

/** A plugin that was found, checked and evaluated; nothing of it is in an app yet. */
export interface LoadedPlugin {
  readonly name: string;
  readonly version?: string;
  /** What the config calls it; its own name for one given in code. */
  readonly spec: string;
  /** Where it is named: `plugins[2]`. */
  readonly configPath: string;
  /** The file that was evaluated; absent for one given in code. */
  readonly path?: string;
  /** A module of decorated exports alone gets an empty definition. */
  readonly definition: PluginDefinition;
  /** Validated by the plugin's schema. */
  readonly options: unknown;
  /** What its decorators declared, besides what the definition lists. */
  readonly declarations: readonly Declaration[];
  readonly brings: PluginContents;
  /** The part of `brings` that takes the place of what was there before. Known once the plugin is in an app; empty until then. */
  readonly overrides: PluginContents;
}

/** Names of what a definition lists and its module declares. What `setup` adds is not known before it runs. */
export function contentsOf(
  definition: PluginDefinition,
  declarations: readonly Declaration[],
): PluginContents {
  const declared = (kind: Declaration['kind'], listed: readonly unknown[] = []): string[] => {
    const all = [...listed.flatMap(declarationsOf), ...declarations].filter((d) => d.kind === kind);
    return [...new Set(all.map((d) => d.name))];
  };
  const named = (listed: readonly { readonly name: string }[] = []): string[] => listed.map((d) => d.name);
  return {
    estimators: declared('estimator', definition.estimators),
    groupingHooks: declared('groupingHook', definition.groupingHooks),
    backends: named(definition.backends),
    workflows: [...new Set([...named(definition.workflows), ...declared('workflow')])],
    rewards: declared('rewardFunction', definition.rewards),
    datasets: named(definition.datasets),
    trackers: named(definition.trackers),
    commands: named(definition.commands),
    hooks: pointsOf(definition.hooks),
    bindings: [],
  };
}
