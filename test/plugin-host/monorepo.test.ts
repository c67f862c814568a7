import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.js';
import { createApp } from '../../src/container/index.js';
import type { LoadedPlugin } from '../../src/plugin-host/index.js';
import { withoutNoOp } from '../no-op/without-no-op.js';
import { createProject, packageFiles } from './project.js';

const ROOT = { 'package.json': { private: true, workspaces: ['apps/*', 'packages/*'] } };

const plain = (name: string): string => `export default { name: '${name}', apiVersion: 1 };`;

/** Plugins of an app whose config is looked for from a folder upwards. */
async function pluginsSeenFrom(cwd: string): Promise<readonly LoadedPlugin[]> {
  await using app = await createApp(await loadConfig({ cwd }), { useDeclared: false });
  return withoutNoOp(app.plugins);
}

test('a package that the root has installed is found from the config of a member, wherever in it one stands', async () => {
  const root = await createProject({
    ...ROOT,
    'apps/trainer/.rllmrc.json': { plugins: ['p', './own.ts'] },
    'apps/trainer/own.ts': plain('own'),
    'apps/trainer/src/deep/x.txt': '',
    ...packageFiles('p', { exports: { import: './i.mjs' } }, { 'i.mjs': plain('p') }),
  });
  expect(await pluginsSeenFrom(join(root, 'apps/trainer/src/deep'))).toMatchObject([
    { name: 'p', version: '1.2.3', path: join(root, 'node_modules/p/i.mjs') },
    { name: 'own', path: join(root, 'apps/trainer/own.ts') },
  ]);
});

test('of two installed versions, the one nearest to the config is loaded', async () => {
  const installed = packageFiles('p', { version: '2.0.0', main: 'i.mjs' }, { 'i.mjs': plain('p') });
  const own = Object.entries(installed).map(([path, text]) => [`apps/trainer/${path}`, text] as const);
  const root = await createProject({
    ...ROOT,
    ...packageFiles('p', { main: 'i.mjs' }, { 'i.mjs': plain('p') }),
    ...Object.fromEntries(own),
    'apps/trainer/rllmrc.json': { plugins: ['p'] },
    'apps/other/rllmrc.json': { plugins: ['p'] },
  });
  expect(await pluginsSeenFrom(join(root, 'apps/trainer'))).toMatchObject([{ version: '2.0.0' }]);
  expect(await pluginsSeenFrom(join(root, 'apps/other'))).toMatchObject([{ version: '1.2.3' }]);
});

test('a member of the workspace is loaded by its name, from where its sources are, in TypeScript too', async () => {
  const root = await createProject({
    ...ROOT,
    'packages/mine/package.json': {
      name: '@me/mine',
      version: '0.3.0',
      exports: './src/index.ts',
      peerDependencies: { 'rllm-sdk': 'workspace:^' },
    },
    'packages/mine/src/index.ts': `
      import { type AdvantageBatch, AdvEstimator, definePlugin } from 'rllm-sdk';
      const mine = AdvEstimator('mine')(({ rewards }: AdvantageBatch) => ({ advantages: rewards }));
      export default definePlugin({ name: '@me/mine', apiVersion: 1, estimators: [mine] });
    `,
    'apps/trainer/rllmrc.json': { plugins: ['@me/mine'], algorithm: { estimator: 'mine' } },
  });
  const link = join(root, 'node_modules/@me/mine');
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, 'packages/mine'), link, 'dir');
  expect(await pluginsSeenFrom(join(root, 'apps/trainer'))).toMatchObject([
    {
      name: '@me/mine',
      version: '0.3.0',
      path: join(root, 'packages/mine/src/index.ts'),
      brings: { estimators: ['mine'] },
    },
  ]);
});
