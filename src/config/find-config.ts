import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { RllmError } from '../errors.js';
import { childOf } from './plain-tree.js';

/** Files beyond cosmiconfig's own list: what is left of `rllmrc.example.json` without `.example`, and typed modules. */
const MORE_PLACES = ['rllmrc.json', 'rllmrc.yaml', 'rllmrc.yml', 'rllm.config.mts', 'rllm.config.cts'];

export interface FindOptions {
  /** Only JSON and YAML will do: a module that the search ends at is an error. */
  readonly dataOnly?: boolean | undefined;
}

/**
 * The config file named, else that of the nearest folder that has one in cosmiconfig's places, from `cwd` upwards, as far as the repository or workspace
 * root (the nearest folder with `.git` or with workspaces in its package.json), or without one as far as the home folder or
 * the root of the file system; undefined when there is none. Empty files and a package.json without the key `rllm` are
 * passed over.
 *
 * Searching runs no code. cosmiconfig's own search would: the mere call of `cosmiconfig()` evaluates the meta config
 * (`.config/config.*`) of the working folder.
 *
 * @throws RllmError CONFIG_NOT_FOUND when the file named does not exist; CONFIG_AMBIGUOUS when a folder has several; CONFIG_FOREIGN
 *   when the one found belongs to somebody else; CONFIG_IS_CODE.
 */
export async function findConfigFile(
  cwd: string,
  named?: string,
  { dataOnly = false }: FindOptions = {},
): Promise<string | undefined> {
  const file = named === undefined ? await search(cwd) : existing(resolve(cwd, named));
  if (file !== undefined && dataOnly && isModule(file)) throw codeError(file, named !== undefined);
  return file;
}

/** Whether reading a config file means running it. */
export function isModule(file: string): boolean {
  return /^\.[cm]?[jt]s$/.test(extname(file));
}

async function search(cwd: string): Promise<string | undefined> {
  const { getDefaultSearchPlaces } = await import('cosmiconfig');
  const places = [...getDefaultSearchPlaces('rllm'), ...MORE_PLACES];
  const stop = searchRoot(cwd);
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const [found, ...more] = differing(places.map((place) => join(folder, place)).filter(holdsConfig));
    if (more.length > 0) throw ambiguous(folder, [found as string, ...more]);
    if (found !== undefined && !isTrusted(found, cwd)) throw foreign(found);
    if (found !== undefined || folder === stop) return found;
  }
}

/**
 * Whether a file that was only found may say what runs, by its plugins if not by itself: it belongs to who runs this, to root, or to
 * whom the working folder belongs. Otherwise whatever somebody leaves in a folder further up, such as `/tmp`, would be run. Of a link
 * both it and its file: plugins are looked for beside the link.
 */
function isTrusted(file: string, cwd: string): boolean {
  const own = process.getuid?.();
  if (own === undefined) return true;
  const owners = [lstatSync(file), statSync(file)];
  return owners.every(({ uid }) => uid === own || uid === 0 || uid === statSync(cwd).uid);
}

function foreign(file: string): RllmError {
  return new RllmError(
    'CONFIG_FOREIGN',
    `${file}, at which the search for a config file ends, belongs to another user than this one and the working folder.`,
    { details: { file } },
  );
}

/** A file that a link in the same folder names too counts once. */
function differing(files: readonly string[]): readonly string[] {
  const first = new Map(files.toReversed().map((file) => [realpathSync(file), file]));
  return files.filter((file) => first.get(realpathSync(file)) === file);
}

function ambiguous(folder: string, files: readonly string[]): RllmError {
  return new RllmError(
    'CONFIG_AMBIGUOUS',
    `${folder} has ${files.length} configurations: ${files.map((file) => basename(file)).join(', ')}.`,
    { details: { files } },
  );
}

function holdsConfig(file: string): boolean {
  if (!isFile(file)) return false;
  if (basename(file) === 'package.json') return manifestField(file, 'rllm') !== undefined;
  try {
    return readFileSync(file, 'utf8').trim() !== '';
  } catch {
    // Whoever reads it says why it cannot be read.
    return true;
  }
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function existing(file: string): string {
  if (isFile(file)) return file;
  throw new RllmError('CONFIG_NOT_FOUND', `There is no config file at ${file}.`, { details: { file } });
}

function codeError(file: string, isNamed: boolean): RllmError {
  const how = isNamed ? 'is named as the config file' : 'is the config file that the search finds first';
  return new RllmError(
    'CONFIG_IS_CODE',
    `${file} ${how}, and it is a module: reading it would run it, and only JSON and YAML are asked for.`,
    { details: { file } },
  );
}

function searchRoot(cwd: string): string {
  const home = homeFolder();
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (folder === home || folder === dirname(folder) || isProjectRoot(folder)) return folder;
  }
}

function isProjectRoot(folder: string): boolean {
  return (
    existsSync(join(folder, '.git')) ||
    manifestField(join(folder, 'package.json'), 'workspaces') !== undefined
  );
}

function homeFolder(): string | undefined {
  try {
    return resolve(homedir());
  } catch {
    // A user without an entry and without HOME, as in some containers.
    return undefined;
  }
}

/** A field of a package.json; undefined where there is no such file or it is not JSON. */
function manifestField(file: string, field: string): unknown {
  try {
    return childOf(JSON.parse(readFileSync(file, 'utf8')), field);
  } catch {
    return undefined;
  }
}
