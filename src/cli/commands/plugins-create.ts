import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, RllmError } from '../../errors.js';
import { nearPath, shellQuoted } from '../invocation.js';
import type { CommonOptions } from '../options.js';
import type { PluginKind } from '../plugin-kinds.js';
import { scaffoldFiles } from '../scaffold/scaffold-files.js';
import { scaffoldNames } from '../scaffold/scaffold-names.js';
import { openScreen } from '../screen.js';

export interface CreateOptions extends CommonOptions {
  readonly dir?: string;
  readonly kind: PluginKind;
}

/** `rllm plugins create`: writes a plugin package that builds, tests and packs, and says what to do next. It installs nothing. */
export async function createPlugin(options: CreateOptions, [name = '']: readonly string[]): Promise<number> {
  const names = scaffoldNames(name);
  const directory = resolve(options.dir ?? names.short);
  await assertFree(directory);
  const files = await scaffoldFiles(names, options.kind);
  await writeFiles(directory, files);
  const near = nearPath(directory, process.cwd());
  const next = [
    ...(near === process.cwd() ? [] : [`cd ${shellQuoted(near)}`]),
    'npm install',
    'npm run build && npm test && npm run check',
  ];
  if (options.json === true) {
    const { kind } = options;
    const report = { name, kind, directory, files: [...files.keys()].sort(), next };
    process.stdout.write(`${JSON.stringify(report)}\n`);
    return 0;
  }
  const { paint, write } = openScreen(process.stdout, process.env, options);
  write(`${paint('bold', name)} is in ${near}: ${[...files.keys()].sort().join(', ')}\n\nnext\n`);
  for (const command of next) write(`  ${command}\n`);
  write(`Then name it in the configuration of a project: "plugins": ["${name}"]\n`);
  return 0;
}

/** @throws RllmError USAGE unless the folder is empty or not there yet. */
async function assertFree(directory: string): Promise<void> {
  let found: readonly string[];
  try {
    found = await readdir(directory);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return;
    throw unwritable(directory, cause);
  }
  if (found.length === 0) return;
  const message = `${directory} is not empty (${found.slice(0, 3).join(', ')}). Name a new folder with --dir DIR.`;
  throw new RllmError('USAGE', message);
}

/** @throws RllmError USAGE with the folder */
async function writeFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      // Never over a file that came meanwhile.
      await writeFile(join(directory, path), text, { flag: 'wx' });
    }
  } catch (cause) {
    throw unwritable(directory, cause);
  }
}

function unwritable(directory: string, cause: unknown): RllmError {
  return new RllmError('USAGE', `${directory} cannot be written to: ${messageOf(cause)}.`, { cause });
}
