import { type Declaration, declarationsOf } from '../declarations.js';
import type { PluginModule } from './import-plugin.js';

/** What a plugin's module holds: a definition as its default export, decorated values as any exports, or both. */
export interface PluginExports {
  /** Not checked yet; absent when no export looks like a definition. */
  readonly definition: unknown;
  /** Declarations that the exports carry, and those that the module made without exporting them. */
  readonly declarations: readonly Declaration[];
  /** The part of `declarations` that the exports carry. */
  readonly exported: readonly Declaration[];
}

/** @param made  everything declared while the module was evaluated, by it or by what it imports. */
export function readPluginModule(module: PluginModule, made: readonly Declaration[]): PluginExports {
  const main = unwrap(module['default']);
  const definition = looksLikeDefinition(main) ? main : undefined;
  const bag = definition === undefined && isObject(main) && declarationsOf(main).length === 0 ? main : {};
  const exported = [...Object.values(module), main, ...Object.values(bag)].flatMap(declarationsOf);
  const declarations = distinct([...exported, ...made]);
  return { definition, declarations, exported: distinct(exported) };
}

/** One of each declaration: a value may be exported under two names, and harvested besides. */
export function distinct(declarations: readonly Declaration[]): readonly Declaration[] {
  return declarations.filter(
    (one, i) => declarations.findIndex((other) => isSameDeclaration(one, other)) === i,
  );
}

export function isSameDeclaration(a: Declaration, b: Declaration): boolean {
  return a.kind === b.kind && a.name === b.name && a.target === b.target;
}

/** CommonJS that was compiled from ESM keeps its default export one level down. */
function unwrap(main: unknown): unknown {
  return isObject(main) && 'default' in main ? main['default'] : main;
}

function looksLikeDefinition(main: unknown): boolean {
  if (!isObject(main) || declarationsOf(main).length > 0) return false;
  return ['apiVersion', 'setup', 'name'].some((key) => key in main);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
