import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkPluginPath } from '../../src/cli/plugin-check/check-plugin-path.js';
import { PLUGIN_KINDS } from '../../src/cli/plugin-kinds.js';
import { scaffoldFiles } from '../../src/cli/scaffold/scaffold-files.js';
import { scaffoldNames } from '../../src/cli/scaffold/scaffold-names.js';
import { SDK_VERSION } from '../../src/version.js';
import { line } from './in-process.js';
import { project, ROOT } from './project.js';

const run = promisify(execFile);

const SDK = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

const FILES = [
  ...['.gitignore', 'README.md', 'package.json', 'tsconfig.build.json', 'tsconfig.json'],
  ...['src/index.ts', 'test/rllm-plugin-best-of.test.ts'],
].sort();

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

const read = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8');

describe('rllm plugins create', () => {
  test('writes an estimator into a folder of the name, and says what to do next', async () => {
    const cwd = project({});
    const { code, stdout, stderr } = await line(cwd, ['plugins', 'create', '@me/rllm-plugin-best-of']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const folder = join(cwd, 'rllm-plugin-best-of');
    expect(filesIn(folder)).toEqual(FILES);
    expect(read(folder, 'src/index.ts')).toMatch(/@AdvEstimator\('best_of'.*class BestOfEstimator/s);
    expect(stdout).toMatch(/\n {2}cd rllm-plugin-best-of\n {2}npm install\n {2}npm run build && npm test/);
    expect(stdout).toContain('"plugins": ["@me/rllm-plugin-best-of"]');
  });

  test('writes a package.json for this SDK, with the versions that the SDK itself is built with', async () => {
    const cwd = project({});
    await line(cwd, ['plugins', 'create', 'rllm-plugin-x', '--dir', 'here/it/is']);
    expect(JSON.parse(read(cwd, 'here/it/is/package.json'))).toMatchObject({
      name: 'rllm-plugin-x',
      keywords: expect.arrayContaining(['rllm-plugin']),
      peerDependencies: { 'rllm-sdk': `^${SDK_VERSION}` },
      devDependencies: {
        'rllm-sdk': SDK_VERSION,
        typescript: SDK.devDependencies['typescript'],
        vitest: SDK.devDependencies['vitest'],
      },
      scripts: { build: expect.any(String), test: expect.any(String) },
    });
  });

  test('reports in JSON', async () => {
    const cwd = project({});
    const args = ['plugins', 'create', 'rllm-plugin-best-of', '--kind', 'reward', '--json'];
    const { stdout } = await line(cwd, args);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'rllm-plugin-best-of',
      kind: 'reward',
      directory: join(cwd, 'rllm-plugin-best-of'),
      files: FILES,
      next: expect.arrayContaining(['npm install']),
    });
  });

  test.each([
    'Upper',
    'two words',
    '.hidden',
    '_x',
    'node:fs',
    'fs',
    'rllm-sdk',
    '@me',
    '../out',
    'a/b',
    'x'.repeat(215),
  ])('refuses %j, which cannot be the name of a package, and writes nothing', async (name) => {
    const cwd = project({});
    const before = readdirSync(cwd);
    const { code, stderr } = await line(cwd, ['plugins', 'create', name]);
    expect(code).toBe(2);
    expect(stderr).toContain('error USAGE');
    expect(readdirSync(cwd)).toEqual(before);
  });

  test('refuses a folder that is not empty, and a file', async () => {
    const cwd = project({ 'full/file.txt': '' });
    for (const dir of ['full', 'full/file.txt']) {
      const { code, stderr } = await line(cwd, ['plugins', 'create', 'rllm-plugin-x', '--dir', dir]);
      expect(code).toBe(2);
      expect(stderr).toContain(join(cwd, dir));
    }
    expect(filesIn(join(cwd, 'full'))).toEqual(['file.txt']);
  });

  test('names a folder that cannot be made', async () => {
    const cwd = project({});
    // A link to nothing is no folder, and none can be made in its place.
    symlinkSync(join(cwd, 'absent/too'), join(cwd, 'here'));
    const { code, stdout, stderr } = await line(cwd, ['plugins', 'create', 'x', '--dir', 'here', '--json']);
    expect(code).toBe(2);
    expect(stderr).toContain(`error USAGE  ${join(cwd, 'here')} cannot be written to: `);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'error', code: 'USAGE' });
  });

  // Root may write everywhere.
  test.skipIf(process.getuid?.() === 0)('names a folder in one that is read-only', async () => {
    const cwd = project({});
    mkdirSync(join(cwd, 'closed'), { mode: 0o555 });
    const { code, stderr } = await line(cwd, ['plugins', 'create', 'x', '--dir', 'closed/x']);
    expect(code).toBe(2);
    expect(stderr).toContain(`error USAGE  ${join(cwd, 'closed/x')} cannot be written to: `);
  });

  test('refuses a kind that it does not know, with those it knows', async () => {
    const { code, stderr } = await line(project({}), [
      'plugins',
      'create',
      'rllm-plugin-x',
      '--kind',
      'critic',
    ]);
    expect(code).toBe(2);
    for (const kind of PLUGIN_KINDS) expect(stderr).toContain(kind);
  });
});

test.each([
  ['rllm-plugin-best-of', 'best_of', 'BestOf', 'bestOf'],
  ['@me/rllm-plugin-x', 'x', 'X', 'x'],
  ['rllm-x.y_z', 'x_y_z', 'XYZ', 'xYZ'],
  ['opo', 'opo', 'Opo', 'opo'],
  ['rllm-plugin-2nd', 'my_2nd', 'My2nd', 'my2nd'],
  ['rllm-plugin-', 'my', 'My', 'my'],
])('a package %s brings %s, of the classes %s… and values %s…', (name, part, pascal, camel) => {
  expect(scaffoldNames(name)).toMatchObject({ package: name, part, pascal, camel });
});

describe('what is written', { timeout: 240_000 }, () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'rllm-scaffolds-')));
  const folderOf = (kind: string): string => join(cwd, `rllm-plugin-my-${kind}`);
  const tool = (path: string): string => join(ROOT, 'node_modules', path);

  beforeAll(async () => {
    mkdirSync(join(cwd, 'node_modules', '.bin'), { recursive: true });
    for (const name of ['typescript', 'vitest', 'zod', '@types', '.bin/tsc']) {
      symlinkSync(tool(name), join(cwd, 'node_modules', name));
    }
    symlinkSync(ROOT, join(cwd, 'node_modules', 'rllm-sdk'));
    for (const kind of PLUGIN_KINDS) {
      const names = scaffoldNames(`rllm-plugin-my-${kind}`);
      for (const [path, text] of await scaffoldFiles(names, kind)) {
        mkdirSync(dirname(join(folderOf(kind), path)), { recursive: true });
        writeFileSync(join(folderOf(kind), path), text);
      }
    }
  });
  afterAll(() => rmSync(cwd, { recursive: true }));

  test.each(PLUGIN_KINDS)('for a %s, names nothing of the templates', (kind) => {
    const folder = folderOf(kind);
    for (const name of filesIn(folder)) {
      expect(name).not.toMatch(/example/i);
      expect(read(folder, name)).not.toMatch(/example/i);
    }
    expect(read(folder, 'README.md')).toMatch(/^# rllm-plugin-my-.*\n## Working on it\n/s);
  });

  test.each(PLUGIN_KINDS)('for a %s, has a config in its README that loads it', async (kind) => {
    const readme = read(folderOf(kind), 'README.md');
    const config = JSON.parse(/```json\n(.*?)```/s.exec(readme)?.[1] ?? '') as { plugins: readonly object[] };
    const [named] = config.plugins;
    const use = './src/index.ts';
    const plugins = [typeof named === 'object' ? { ...named, use } : use];
    writeFileSync(join(folderOf(kind), 'rllmrc.json'), JSON.stringify({ ...config, plugins }));
    const { stdout, stderr } = await line(folderOf(kind), ['plugins', 'list']);
    expect(stderr).toBe('');
    expect(stdout).toContain(`rllm-plugin-my-${kind}`);
  });

  test.each(PLUGIN_KINDS)('for a %s, has no findings', async (kind) => {
    expect((await checkPluginPath(join(folderOf(kind), 'src/index.ts'), {})).findings).toEqual([]);
  });

  test('for all kinds, compiles and passes its own tests', async () => {
    const tsconfig = { extends: './rllm-plugin-my-estimator/tsconfig.json', include: ['*/src', '*/test'] };
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(tsconfig));
    const compiled = await run(process.execPath, [tool('typescript/bin/tsc'), '-p', cwd]).catch(
      (error) => error,
    );
    expect(compiled.stdout).toBe('');
    const args = [tool('vitest/vitest.mjs'), 'run', '--reporter=json'];
    const { stdout } = await run(process.execPath, args, { cwd }).catch((error) => error);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, numFailedTests: 0 });
    expect(JSON.parse(stdout).testResults).toHaveLength(PLUGIN_KINDS.length);
  });

  test('builds and packs by its own scripts, and is a package without findings', async () => {
    const folder = folderOf('estimator');
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: folder });
    for (const path of ['dist/index.js', 'dist/index.d.ts', 'README.md'])
      expect(stdout).toContain(`"${path}"`);
    expect(stdout).not.toMatch(/"(?:src|test)\//);
    expect((await checkPluginPath(folder, {})).findings).toEqual([]);
  });
});
