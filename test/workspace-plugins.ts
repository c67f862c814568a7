import { existsSync, readdirSync } from 'node:fs';
import type { PluginDefinition } from '../src/plugin-host/index.js';

/** A plugin of this repository, with the name of its package. */
export interface WorkspacePlugin {
  readonly name: string;
  readonly definition: PluginDefinition;
}

/** Every plugin under `plugins/`; packages that are no plugin are left out. */
export async function workspacePlugins(): Promise<readonly WorkspacePlugin[]> {
  const folder = new URL('../plugins/', import.meta.url);
  const names = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/src/index.ts`, folder)));
  const modules = await Promise.all(
    names.map(async (name): Promise<{ readonly default?: PluginDefinition }> => {
      return import(new URL(`${name}/src/index.ts`, folder).href);
    }),
  );
  return modules.flatMap((module, i) => {
    const definition = module.default;
    return definition === undefined ? [] : [{ name: names[i] ?? '', definition }];
  });
}
