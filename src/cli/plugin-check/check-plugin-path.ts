import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, RllmError } from '../../errors.js';
import { SDK_VERSION } from '../../version.js';
import type { Finding } from './check-rules.js';
import { openPlugin, type PluginToOpen } from './open-plugin.js';
import { type PackageJson, packageFindings } from './package-findings.js';
import { packedFiles } from './packed-files.js';
import { partFindings } from './part-findings.js';
import { resolveEntry } from './resolve-entry.js';

export interface CheckedPlugin {
  /** Null when the plugin could not be loaded. */
  readonly plugin: { readonly name: string; readonly version: string | null } | null;
  readonly findings: readonly Finding[];
}

/**
 * Checks the package in a folder, or a plugin in a file: the package as others would install it, the plugin as an app loads it, and
 * its parts by the suites of `rllm-sdk/testing`. It runs the plugin's code, and no script of its package.
 *
 * @throws RllmError USAGE when there is no such file or folder.
 */
export async function checkPluginPath(
  path: string,
  options: Readonly<Record<string, unknown>>,
): Promise<CheckedPlugin> {
  const absolute = resolve(path);
  const found = await stat(absolute).catch((cause: unknown) => {
    throw new RllmError('USAGE', `There is neither a folder nor a file at ${absolute}.`, { cause });
  });
  if (found.isDirectory()) return checkPackage(absolute, options);
  const file = basename(absolute);
  return checkLoading({ use: `./${file}`, directory: dirname(absolute), options, file });
}

async function checkPackage(
  folder: string,
  options: Readonly<Record<string, unknown>>,
): Promise<CheckedPlugin> {
  let manifest: PackageJson;
  try {
    manifest = await readManifest(join(folder, 'package.json'));
  } catch (thrown) {
    const message = `there is no package that could be checked: ${messageOf(thrown)}`;
    return { plugin: null, findings: [{ rule: 'package-json', message, file: 'package.json' }] };
  }
  const entry = resolveEntry(folder, manifest);
  const packed = await packedFiles(folder);
  const findings = packageFindings({ manifest, entry, packed, sdkVersion: SDK_VERSION });
  const file = entry.import.path;
  if (file === undefined) return { plugin: null, findings };
  // By its own name, as another package would; without `exports` a package does not know its name.
  const use = manifest['exports'] === undefined ? `./${file}` : String(manifest['name']);
  const loaded = await checkLoading({ use, directory: folder, options, file });
  const isSaid = ({ rule }: Finding): boolean => rule === 'sdk-range';
  // A package for another version is not loaded, which was said before.
  const rest = findings.some(isSaid)
    ? loaded.findings.filter(({ rule }) => rule !== 'plugin-loads')
    : loaded.findings;
  return { plugin: loaded.plugin, findings: [...findings, ...rest] };
}

async function checkLoading(what: PluginToOpen): Promise<CheckedPlugin> {
  const { open, findings } = await openPlugin(what);
  if (open === undefined) return { plugin: null, findings };
  try {
    const parts = await partFindings(open);
    const { name, version = null } = open.plugin;
    return { plugin: { name, version }, findings: parts.map((finding) => ({ ...finding, file: what.file })) };
  } finally {
    await open.app.dispose();
  }
}

async function readManifest(file: string): Promise<PackageJson> {
  const manifest: unknown = JSON.parse(await readFile(file, 'utf8'));
  const name: unknown =
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'name') : null;
  if (typeof name === 'string' && name !== '') return manifest as PackageJson;
  throw new Error('package.json has no name');
}
