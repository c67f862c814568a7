import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { underLock } from './under-lock.js';

const run = promisify(execFile);

/** Environments that tests may ask for; each has its `test/python/requirements-<name>.txt`, which pins every package. */
export type VenvName = 'skyrl' | 'tensorboard' | 'tinker';

/** Written when all packages are installed: without it an environment is one that a killed builder left behind. */
const COMPLETE = 'complete';

const building = new Map<VenvName, Promise<string>>();

/**
 * The python of a virtual environment that has the pinned packages of `test/python/requirements-<name>.txt`.
 *
 * It is built once, which takes from seconds to minutes, and kept in `$TEST_VENVS`, else in the user's cache folder, by a hash
 * of the requirements and of the interpreter: a change of either builds another. Processes that ask at once wait for one
 * builder. A line `# first: ARGUMENTS` of the requirements is installed beforehand, by `pip install ARGUMENTS`.
 *
 * The interpreter is `$TEST_PYTHON`, else `python3` of the path.
 *
 * @throws Error that says which command failed and what it wrote, when there is no python or a package cannot be installed.
 */
export function pythonVenv(name: VenvName): Promise<string> {
  const known = building.get(name) ?? findOrBuild(name);
  building.set(name, known);
  return known;
}

async function findOrBuild(name: VenvName): Promise<string> {
  const origin = process.env['TEST_PYTHON'] || (process.platform === 'win32' ? 'python' : 'python3');
  const interpreter = await python(name, origin, ['-c', 'import sys; print(sys.version, sys.executable)']);
  const file = fileURLToPath(new URL(`python/requirements-${name}.txt`, import.meta.url));
  const requirements = await readFile(file, 'utf8');
  const key = createHash('sha256').update(`${interpreter}\n${requirements}`).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), `${name}-${key}`);
  await mkdir(cacheFolder(), { recursive: true });
  return underLock(`${folder}.lock`, async () => {
    if (!(await exists(join(folder, COMPLETE)))) await build({ name, origin, folder, file, requirements });
    return pythonOf(folder);
  });
}

interface Recipe {
  readonly name: VenvName;
  /** The python that makes the environment. */
  readonly origin: string;
  readonly folder: string;
  readonly file: string;
  /** What `file` says. */
  readonly requirements: string;
}

async function build({ name, origin, folder, file, requirements }: Recipe): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await python(name, origin, ['-m', 'venv', folder]);
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--no-input',
    '--no-compile',
  ];
  for (const [, first = ''] of requirements.matchAll(/^# first: (.+)$/gm)) {
    await python(name, pythonOf(folder), [...install, ...first.trim().split(/\s+/)]);
  }
  await python(name, pythonOf(folder), [...install, '--requirement', file]);
  await writeFile(join(folder, COMPLETE), requirements);
}

async function python(name: VenvName, command: string, parameters: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run(command, parameters, { maxBuffer: 2 ** 26 });
    return stdout.trim();
  } catch (cause) {
    const { code, stderr = '', message } = cause as NodeJS.ErrnoException & { readonly stderr?: string };
    const lines = (code === 'ENOENT' ? `there is no ${command}` : stderr.trim() || message).split('\n');
    throw new Error(
      `The Python environment "${name}" cannot be built. This failed: ${[command, ...parameters].join(' ')}\n` +
        `${lines.slice(-20).join('\n')}\n` +
        'It needs Python 3.11 or later with venv and pip; name another interpreter by TEST_PYTHON.',
      { cause },
    );
  }
}

function pythonOf(folder: string): string {
  return process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}

function cacheFolder(): string {
  const { TEST_VENVS, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (TEST_VENVS) return TEST_VENVS;
  const caches = {
    darwin: join(homedir(), 'Library', 'Caches'),
    win32: LOCALAPPDATA || join(homedir(), 'AppData', 'Local'),
  };
  const cache =
    caches[process.platform as keyof typeof caches] ?? (XDG_CACHE_HOME || join(homedir(), '.cache'));
  return join(cache, 'rllm-sdk', 'venvs');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
