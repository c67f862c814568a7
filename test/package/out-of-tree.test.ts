import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../cli/project.js';
import { lastWeights } from '../plugin-host/last-weights.js';
import { TWO_PLAYERS, TWO_PLAYERS_FILES } from '../plugin-host/two-players.js';
import { readLines } from '../trainer/tiny-run.js';
import { pack, type Tarball } from './pack.js';

const run = promisify(execFile);
const NAME = 'rllm-plugin-best-of';

/** Everything lies outside the repository, so that nothing can be found but what was installed. */
const outside = realpathSync(mkdtempSync(join(tmpdir(), 'rllm-out-of-tree-')));
const pluginFolder = join(outside, NAME);
let sdk: Tarball;
let plugin: Tarball;

const PNPM = join(ROOT, 'node_modules/.bin/pnpm');
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline'];

const MANAGERS = [
  { manager: 'npm', install: ['npm', 'install', ...QUIET], exec: ['npx'] },
  {
    manager: 'pnpm',
    // Nothing is kept on the machine, neither what was read nor what was installed.
    install: [
      ...[PNPM, 'add', '--store-dir', join(outside, 'store')],
      `--config.cache-dir=${join(outside, 'cache')}`,
    ],
    exec: [PNPM, 'exec'],
  },
] as const;

/** What a command prints; it fails with both outputs in its message. */
async function output(cwd: string, [command = '', ...args]: readonly string[]): Promise<string> {
  const { FORCE_COLOR: _color, ...env } = process.env;
  try {
    return (await run(command, args, { cwd, env: { ...env, NO_COLOR: '1' } })).stdout;
  } catch (thrown) {
    const { stdout = '', stderr = '' } = thrown as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: thrown });
  }
}

beforeAll(async () => {
  sdk = await pack(ROOT, outside);
  await output(outside, [process.execPath, join(ROOT, 'dist/cli/main.js'), 'plugins', 'create', NAME]);
  // Not saved: npm would write the tarball's path into the peer dependencies of the plugin.
  await output(pluginFolder, ['npm', 'install', '--no-save', ...QUIET, sdk.path]);
  plugin = await pack(pluginFolder, outside);
}, 300_000);

afterAll(() => rm(outside, { recursive: true, force: true, maxRetries: 3 }), 120_000);

describe('a plugin package made by `rllm plugins create`, with the packed SDK', { timeout: 180_000 }, () => {
  test('passes its own tests', async () => {
    expect(await output(pluginFolder, ['npm', 'test'])).toMatch(/Tests +\d+ passed/);
  });

  test('is checked without findings', async () => {
    const report = await output(pluginFolder, ['npx', 'rllm', 'plugins', 'check', '.', '--json']);
    expect(JSON.parse(report)).toMatchObject({ findings: [], errors: 0, warnings: 0 });
  });

  test('packs what it needs and no sources', () => {
    expect(plugin.files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'README.md']));
    expect(plugin.files.filter((path) => /^(src|test|node_modules)\//.test(path))).toEqual([]);
  });
});

describe.each(MANAGERS)('in a project of a user, installed by $manager', ({ manager, install, exec }) => {
  const project = join(outside, `with-${manager}`);
  const rllm = (...args: readonly string[]): Promise<string> => output(project, [...exec, 'rllm', ...args]);

  beforeAll(async () => {
    mkdirSync(project);
    const config = { ...TWO_PLAYERS, plugins: ['./two-players.ts', NAME] };
    const files = {
      ...TWO_PLAYERS_FILES,
      'package.json': JSON.stringify({ name: 'user', private: true, type: 'module' }),
      '.rllmrc.json': JSON.stringify(config),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
    await output(project, [...install, sdk.path, plugin.path]);
  }, 300_000);

  /** Trains with these settings into a folder of the project. */
  async function train(folder: string, ...set: readonly string[]) {
    await rllm('train', '--quiet', '--run-dir', folder, ...set.flatMap((one) => ['--set', one]));
    const directory = join(project, folder);
    const { plugins, ended } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    return { plugins, ended, lines: await readLines(directory), weights: lastWeights(directory) };
  }

  test('the plugin is listed with its version and what it brings', { timeout: 120_000 }, async () => {
    const plugins = JSON.parse(await rllm('plugins', 'list', '--json'));
    expect(plugins).toMatchObject([{ name: './two-players.ts' }, { name: NAME, version: '0.1.0' }]);
  });

  test('it trains with the estimator for all roles, and for one', { timeout: 240_000 }, async () => {
    const all = await train(
      'all',
      'algorithm.estimator=best_of',
      'algorithm.estimatorOptions={"best_of":{"scale":3}}',
    );
    const one = await train(
      'one',
      'algorithm.estimator=reinforce',
      'algorithm.estimatorMap={"guesser":"best_of"}',
      'algorithm.estimatorOptions={"best_of":{"scale":3}}',
    );
    const none = await train('none', 'algorithm.estimator=reinforce');
    for (const { plugins, ended, lines } of [all, one]) {
      expect(ended).toMatchObject({ status: 'completed', step: 3 });
      expect(lines).toHaveLength(3);
      expect(plugins).toMatchObject([
        {},
        { name: NAME, version: '0.1.0', brings: { estimators: ['best_of'] } },
      ]);
    }
    // The first step samples from the same weights in all three runs.
    const [allRoles, oneRole, noRole] = [all, one, none].map(({ lines }) => lines[0]?.metrics ?? {});
    expect(oneRole?.['advantage/guesser/mean']).toBe(allRoles?.['advantage/guesser/mean']);
    expect(oneRole?.['advantage/asker/mean']).toBe(noRole?.['advantage/asker/mean']);
    // Of an estimator with a baseline, advantages of a group sum to 0; reinforce has none.
    for (const role of ['asker', 'guesser']) expect(allRoles?.[`advantage/${role}/mean`]).toBeCloseTo(0, 12);
    expect(Math.abs(noRole?.['advantage/asker/mean'] ?? 0)).toBeGreaterThan(1e-3);
    expect(one.weights.equals(all.weights)).toBe(false);
    expect(one.weights.equals(none.weights)).toBe(false);
  });
});
