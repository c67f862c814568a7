import { expect, test } from 'vitest';
import { type App, createApp } from '../../src/container/index.js';
import { createProject } from './project.js';

/** A module that takes its time, and declares an estimator that it does not export before and another after. */
const slow = (name: string, ms: number): string => `
  import { AdvEstimator } from 'rllm-sdk';
  AdvEstimator('${name}-early')(() => ({ advantages: [] }));
  await new Promise((done) => setTimeout(done, ${ms}));
  AdvEstimator('${name}-late')(() => ({ advantages: [] }));
  export {};
`;

/** What each plugin of an app brings, in order, and who owns what in its registry. */
const seen = ({ plugins, estimators }: App) => ({
  plugins: plugins.flatMap(({ name, brings }) =>
    brings.estimators.length === 0 ? [] : [[name, brings.estimators]],
  ),
  owners: estimators
    .list()
    .filter(({ owner }) => owner !== 'built-in')
    .map(({ name, owner }) => `${name} of ${owner}`),
});

test('apps created at once, and again later, have each plugin with its own parts, in the order of their config', async () => {
  const directory = await createProject({
    'a.ts': slow('a', 30),
    'b.ts': slow('b', 0),
    'c.ts': `
      import { AdvEstimator } from 'rllm-sdk';
      export const c = AdvEstimator('c')(() => ({ advantages: [] }));
    `,
  });
  const create = (...plugins: readonly string[]): Promise<App> =>
    createApp({ plugins: [...plugins] }, { baseDirectory: directory, useDeclared: false });
  const of = { './a.ts': ['a-early', 'a-late'], './b.ts': ['b-early', 'b-late'], './c.ts': ['c'] };
  const expected = (...names: readonly (keyof typeof of)[]) => ({
    plugins: names.map((name) => [name, of[name]]),
    owners: names.flatMap((name) => of[name].map((part) => `${part} of ${name}`)),
  });
  const orders = [
    ['./a.ts', './b.ts', './c.ts'],
    ['./c.ts', './b.ts', './a.ts'],
    ['./b.ts'],
    ['./b.ts', './a.ts'],
  ] as const;
  for (let time = 0; time < 2; time++) {
    const apps = await Promise.all(orders.map((names) => create(...names)));
    expect(apps.map(seen)).toEqual(orders.map((names) => expected(...names)));
    for (const app of apps) await app.dispose();
  }
});
