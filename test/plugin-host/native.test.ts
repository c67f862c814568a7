import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createProject, packageFiles } from './project.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A symbolic link, with the folders on the way. */
async function link(from: string, to: string): Promise<void> {
  await mkdir(dirname(from), { recursive: true });
  await symlink(to, from, 'dir');
}

/** Runs a module of the project with Node alone, as a user does, and reads the JSON that it prints. */
async function print(directory: string, file: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, [file], { cwd: directory });
  return JSON.parse(stdout);
}

const LIST = `
  import { createApp, loadConfig } from 'rllm-sdk';
  const owners = [];
  for (let i = 0; i < 2; i++) {
    const app = await createApp(await loadConfig({ cwd: process.cwd() }));
    owners.push(Object.fromEntries(app.estimators.list().map(({ name, owner }) => [name, owner])));
    await app.dispose();
  }
  console.log(JSON.stringify(owners));
`;

test('the built SDK takes plugins as packages and files, in TypeScript, ESM and CommonJS, twice in one process', async () => {
  const directory = await createProject({
    'rllmrc.json': { plugins: ['p-esm', 'p-cjs', './local.ts'], algorithm: { estimator: 'local' } },
    'list.mjs': LIST,
    'local.ts': `
      import { type AdvantageBatch, AdvEstimator, CONFIG, inject, type RllmConfig } from 'rllm-sdk';
      @AdvEstimator('local')
      class Local {
        constructor(@inject(CONFIG) private readonly config: RllmConfig) {}
        estimate({ rewards }: AdvantageBatch) { return { advantages: rewards.map((r) => r.map(() => this.config.trainer.seed)) } }
      }
    `,
    ...packageFiles(
      'p-esm',
      { type: 'module', exports: { import: './i.js' }, peerDependencies: { 'rllm-sdk': '>=0.1.0' } },
      {
        'i.js': `import { AdvEstimator } from 'rllm-sdk'; export const esm = AdvEstimator('esm')(() => ({ advantages: [] }));`,
      },
    ),
    ...packageFiles(
      'p-cjs',
      { main: 'i.cjs' },
      {
        'i.cjs': `const { AdvEstimator } = require('rllm-sdk'); AdvEstimator('cjs')(() => ({ advantages: [] }));`,
      },
    ),
  });
  await link(join(directory, 'node_modules/rllm-sdk'), root);
  const owners = { esm: 'p-esm@1.2.3', cjs: 'p-cjs@1.2.3', local: './local.ts', grpo: 'built-in' };
  expect(await print(directory, 'list.mjs')).toEqual([
    expect.objectContaining(owners),
    expect.objectContaining(owners),
  ]);
});

test('a plugin that finds another copy of the SDK works, and its built-in parts are not in the way', async () => {
  const directory = await createProject({
    'rllmrc.json': { plugins: ['./far/plugin.mjs'], algorithm: { estimator: 'far' } },
    'list.mjs': LIST,
    'far/plugin.mjs': `
      import { AdvEstimator, definePlugin, RllmError } from 'rllm-sdk';
      const far = AdvEstimator('far')(() => ({ advantages: [] }));
      AdvEstimator('far-hidden')(() => ({ advantages: [] }));
      export default definePlugin({ name: 'far', apiVersion: 1, estimators: [far] });
    `,
  });
  await link(join(directory, 'node_modules/rllm-sdk'), root);
  const copy = join(directory, 'far/node_modules/rllm-sdk');
  await cp(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  await cp(join(root, 'package.json'), join(copy, 'package.json'));
  await link(join(copy, 'node_modules'), join(root, 'node_modules'));
  const owners = { far: 'far', 'far-hidden': 'far', grpo: 'built-in', rloo: 'built-in' };
  expect(await print(directory, 'list.mjs')).toEqual([
    expect.objectContaining(owners),
    expect.objectContaining(owners),
  ]);
});

test('a workspace plugin compiles against the public types, and loads as a package', async () => {
  const name = 'rllm-plugin-estimators';
  const directory = await createProject({
    'rllmrc.json': { plugins: [name], algorithm: { estimator: 'opo' } },
    'list.mjs': LIST,
  });
  await link(join(directory, 'node_modules/rllm-sdk'), root);
  await link(join(directory, 'node_modules/zod'), join(root, 'node_modules/zod'));
  const installed = join(directory, 'node_modules', name);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [
    compiler,
    '-p',
    join(root, 'plugins', name),
    '--outDir',
    join(installed, 'dist'),
  ]);
  await cp(join(root, 'plugins', name, 'package.json'), join(installed, 'package.json'));
  const owners = { opo: expect.stringMatching(/^rllm-plugin-estimators@\d/) };
  expect(await print(directory, 'list.mjs')).toEqual([
    expect.objectContaining(owners),
    expect.objectContaining(owners),
  ]);
});
