import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Loader } from 'cosmiconfig';
import { RllmError } from '../errors.js';
import { childOf } from './plain-tree.js';

/** Files beyond cosmiconfig's own list: what is left of `rllmrc.example.json` without `.example`, and typed modules. */
const MORE_PLACES = ['rllmrc.json', 'rllmrc.yaml', 'rllmrc.yml', 'rllm.config.mts', 'rllm.config.cts'];

/**
 * The config file named, else the first that cosmiconfig finds from `cwd` upwards, as far as the repository or workspace
 * root (the nearest folder with `.git` or with workspaces in its package.json); undefined when there is none.
 *
 * Searching evaluates no config file of ours. cosmiconfig itself runs its own meta config (`.config/config.*` of the
 * process's working folder) when a search begins; naming the file avoids that.
 *
 * @throws RllmError CONFIG_NOT_FOUND when the file named does not exist.
 */
export async function findConfigFile(cwd: string, named?: string): Promise<string | undefined> {
  if (named !== undefined) {
    const file = resolve(cwd, named);
    if (existsSync(file) && statSync(file).isFile()) return file;
    throw new RllmError('CONFIG_NOT_FOUND', `There is no config file at ${file}.`, { details: { file } });
  }
  const { cosmiconfig, getDefaultSearchPlaces } = await import('cosmiconfig');
  const searchPlaces = [...getDefaultSearchPlaces('rllm'), ...MORE_PLACES];
  const extensions = ['.js', '.ts', '.cjs', '.mjs', '.mts', '.cts', '.json', '.yaml', '.yml', 'noExt'];
  const explorer = cosmiconfig('rllm', {
    searchPlaces,
    loaders: Object.fromEntries(extensions.map((extension) => [extension, markFound])),
    searchStrategy: 'none',
    cache: false,
  });
  const stop = searchRoot(cwd);
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = await explorer.search(folder);
    if (found !== null) return found.filepath;
    if (folder === stop) return undefined;
  }
}

/** Stands in for the loaders, so that a search reads nothing but package.json. */
const markFound: Loader = (file, content) => {
  if (basename(file) !== 'package.json') return { found: true };
  try {
    return JSON.parse(content);
  } catch {
    return {};
  }
};

function searchRoot(cwd: string): string {
  const start = resolve(cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git')) || hasWorkspaces(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return start;
  }
}

function hasWorkspaces(manifest: string): boolean {
  try {
    const content: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
    return childOf(content, 'workspaces') !== undefined;
  } catch {
    return false;
  }
}
