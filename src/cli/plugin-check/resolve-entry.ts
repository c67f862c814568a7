import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageJson } from './package-findings.js';

export interface EntryFile {
  /** Within the package, as npm lists it: `dist/index.js`. */
  readonly path?: string;
  /** Why there is none, as the end of a sentence. */
  readonly problem?: string;
}

/** What the bare name of a package leads to. */
export interface PackageEntry {
  readonly import: EntryFile;
  readonly require: EntryFile;
  /** The file of its types, where it is there. */
  readonly types: string | undefined;
}

/** The entry of a package by its `exports`, else by `main`, as Node reads them; with the condition `types` as TypeScript does. */
export function resolveEntry(folder: string, manifest: PackageJson): PackageEntry {
  const { exports, main, types } = manifest;
  if (exports === undefined) {
    const path = typeof main === 'string' ? main : 'index.js';
    const file = fileIn(folder, path, '"main"');
    const declared = typeof types === 'string' ? types : path.replace(/\.([cm]?)js$/, '.d.$1ts');
    return { import: file, require: file, types: fileIn(folder, declared, '"types"').path };
  }
  const root = rootOf(exports);
  const entry = (...conditions: readonly string[]): EntryFile => {
    const target = targetOf(root, conditions);
    if (target === undefined) return { problem: `is not allowed by "exports"; give "." a "default"` };
    return fileIn(folder, target, '"exports"');
  };
  const typed = targetOf(root, ['types', 'node', 'import']);
  const isDeclared = typed !== undefined && /\.d\.[cm]?ts$/.test(typed);
  // Where no condition says so, TypeScript takes the declarations beside the file.
  const beside = (typed ?? '').replace(/\.([cm]?)js$/, '.d.$1ts');
  return {
    import: entry('node', 'import'),
    require: entry('node', 'require'),
    types: fileIn(folder, isDeclared ? typed : beside, '"exports"').path,
  };
}

/** `exports["."]`, or `exports` itself where it has no subpaths. */
function rootOf(exports: unknown): unknown {
  if (typeof exports !== 'object' || exports === null || Array.isArray(exports)) return exports;
  const hasPaths = Object.keys(exports).some((key) => key.startsWith('.'));
  return hasPaths ? Reflect.get(exports, '.') : exports;
}

/** The first target whose conditions all hold, in the order in which they stand. */
function targetOf(value: unknown, conditions: readonly string[]): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = Array.isArray(value)
    ? value
    : Object.entries(value)
        .filter(([key]) => key === 'default' || conditions.includes(key))
        .map(([, target]) => target);
  for (const target of inner) {
    const found = targetOf(target, conditions);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fileIn(folder: string, target: string, from: string): EntryFile {
  const path = target.replace(/^\.\//, '');
  const stat = path === '' ? undefined : statSync(join(folder, path), { throwIfNoEntry: false });
  if (stat?.isFile() === true) return { path };
  return { problem: `leads to ${path || 'nothing'} by ${from}, and there is no such file (was it built?)` };
}
