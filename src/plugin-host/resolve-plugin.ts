import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolve } from 'import-meta-resolve';
import { messageOf } from '../errors.js';
import { nearest } from '../nearest.js';

/** The part of a package.json that is read. */
export interface PluginManifest {
  readonly name: string;
  readonly version?: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface ResolvedPlugin {
  readonly url: string;
  readonly path: string;
  /** Of the package; absent for a file of the user's own. */
  readonly manifest?: PluginManifest;
}

/** Why a plugin was not found, as the end of a sentence that begins with its name. */
export interface NotResolved {
  readonly reason: string;
  readonly nearest?: string;
  readonly cause?: unknown;
}

/**
 * Finds the file of a plugin as an `import` in the config file would, without running anything.
 *
 * @param use        a package (`rllm-plugin-estimators`, `@me/plugin/sub`) or a file (`./mine.ts`, `/abs/mine.js`, `file:///…`).
 * @param directory  folder of the config file.
 */
export function resolvePlugin(use: string, directory: string): ResolvedPlugin | NotResolved {
  let url: string;
  try {
    url = resolve(use, pathToFileURL(join(directory, 'rllm.config.js')).href);
  } catch (cause) {
    return { ...whyNot(use, directory, cause), cause };
  }
  if (!url.startsWith('file:')) {
    return { reason: `leads to ${url.slice(0, 80)}, and only packages and files are loaded` };
  }
  const path = fileURLToPath(url);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (isFileReference(use)) {
    if (stat === undefined) return missingFile(use, path);
    if (!stat.isFile()) return { reason: `is a folder (${path}); name the file to load` };
    return { url, path };
  }
  if (stat === undefined) return { reason: `has an entry that does not exist: ${path} (was it built?)` };
  const manifest = manifestOf(path);
  return manifest === undefined ? { url, path } : { url, path, manifest };
}

const isFileReference = (use: string): boolean => /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(use);

function whyNot(use: string, directory: string, cause: unknown): NotResolved {
  if ((cause as { readonly code?: unknown } | null)?.code !== 'ERR_MODULE_NOT_FOUND') {
    return { reason: `could not be resolved from ${directory}: ${messageOf(cause)}` };
  }
  const isFile = statSync(join(directory, use), { throwIfNoEntry: false })?.isFile() === true;
  return {
    reason: `is not an installed package, seen from ${directory}`,
    ...(isFile ? { nearest: `./${use}` } : {}),
  };
}

function missingFile(use: string, path: string): NotResolved {
  const name = basename(path);
  const siblings = namesIn(dirname(path));
  const near = siblings.find((sibling) => sibling.startsWith(`${name}.`)) ?? nearest(name, siblings);
  const close = near === undefined ? {} : { nearest: use.slice(0, use.length - name.length) + near };
  return { reason: `is a file that does not exist: ${path}`, ...close };
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** The package.json of the package that a file belongs to: the nearest above it that has a name. */
function manifestOf(path: string): PluginManifest | undefined {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    try {
      const manifest = JSON.parse(
        readFileSync(join(directory, 'package.json'), 'utf8'),
      ) as Partial<PluginManifest>;
      if (typeof manifest.name === 'string') return manifest as PluginManifest;
    } catch {
      // No package.json here, or one that is not JSON: look further up.
    }
    if (directory === dirname(directory)) return undefined;
  }
}
