import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AdvantageBatch, AdvEstimator, type EstimateFunction } from '../../src/advantage/index.js';
import type { Backend } from '../../src/backend/index.js';
import { loadConfig } from '../../src/config/index.js';
import { BACKEND, CONFIG, createApp, TRAINER } from '../../src/container/index.js';
import type { GroupingHook } from '../../src/grouping/index.js';
import { definePlugin } from '../../src/plugin-host/index.js';
import { InMemoryBackend } from '../../src/testing/index.js';
import { withoutNoOp } from '../no-op/without-no-op.js';
import { createProject } from '../plugin-host/project.js';
import { errorOf, inMemory, memoryPlugin, TRAINS } from './app-kit.js';

/** An estimator that nothing else shares. */
const namedZero = (name: string, override = false): EstimateFunction =>
  AdvEstimator(name, { override })((batch: AdvantageBatch) => ({
    advantages: batch.rewards.map((r) => r.map(() => 0)),
  }));

describe('what a program without types gets wrong', () => {
  const untyped = createApp as (...args: readonly unknown[]) => Promise<unknown>;

  test.each<[string, readonly unknown[], string]>([
    [
      'a misspelt option',
      [{}, { workfow: 1 }],
      'options.workfow: is nothing that it takes. Did you mean "workflow"?',
    ],
    [
      'a name among plugins',
      [{}, { plugins: ['mine'] }],
      'options.plugins: has one that must be what definePlugin() gives',
    ],
    ['a plugin without a list', [{}, { plugins: {} }], 'options.plugins: must be a list, got an object.'],
    [
      'a folder for a run',
      [{}, { run: './runs/1' }],
      'options.run: must be an object, or null to write nothing, got "./runs/1".',
    ],
    [
      'a misspelt folder',
      [{}, { run: { dir: './runs/1' } }],
      'options.run.dir: is nothing that it takes. Known: allowPluginChange',
    ],
    [
      'a function for a logger',
      [{}, { logger: console.log }],
      'options.logger: must be an object with debug(), info()',
    ],
    ['a config that is not awaited', [Promise.resolve({})], 'expected an object, given a promise: await it.'],
    ['a file for a config', ['rllmrc.json'], 'expected an object, given "rllmrc.json".'],
  ])('%s is an error, not ignored', async (_, args, message) => {
    const error = await errorOf(untyped(...args));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
  });
});

describe('an app', () => {
  test('has the built-in parts without a word of config', async () => {
    await using app = await createApp({}, { useDeclared: false });
    expect(app.estimators.list().map(({ name, owner }) => [name, owner])).toEqual([
      ['grpo', 'built-in'],
      ['prpo', 'built-in'],
      ['reinforce', 'built-in'],
      ['reinforce_plus_plus_baseline', 'built-in'],
      ['rloo', 'built-in'],
    ]);
    expect(app.groupingHooks.has('task_role')).toBe(true);
    expect(app.backends.names()).toEqual(['local']);
    expect(app.trackers.names()).toEqual(['console']);
    expect(withoutNoOp(app.plugins)).toEqual([]);
  });

  test('trains from a config file, a plugin beside it and a dataset file, and records all three', async () => {
    const directory = await createProject({
      'rllmrc.json': {
        ...TRAINS,
        plugins: ['./mine.ts'],
        workflow: { use: 'say-yes', nParallelTasks: 4 },
        algorithm: { estimator: 'mine' },
        data: { train: 'questions.jsonl', trainBatchSize: 2 },
      },
      'questions.jsonl': '{"question":"Is it so?"}\n{"question":"And this?"}\n',
      'mine.ts': `
        import { AdvEstimator, type AdvantageBatch, definePlugin, defineWorkflow } from 'rllm-sdk';
        import { inMemoryBackend } from 'rllm-sdk/testing';
        @AdvEstimator('mine')
        export class Mine { estimate({ rewards }: AdvantageBatch) { return { advantages: rewards.map((r) => r.map((x) => x - 0.5)) } } }
        export const sayYes = defineWorkflow('say-yes', async (task, context) => {
          const agent = context.agent('speaker');
          const { content } = await agent.respond(String(task.question));
          agent.reward(content === 'yes' ? 1 : 0);
        });
        export default definePlugin({
          name: 'mine', apiVersion: 1, backends: [inMemoryBackend({ policy: ({ random }) => (random.next() < 0.5 ? 'yes' : 'no') })],
        });
      `,
    });
    const loaded = await loadConfig({ cwd: directory, env: {} });
    await using app = await createApp(loaded, {
      useDeclared: false,
      run: { directory: join(directory, 'run') },
    });
    expect(withoutNoOp(app.plugins)).toMatchObject([
      {
        name: 'mine',
        path: join(directory, 'mine.ts'),
        brings: { estimators: ['mine'], backends: ['in-memory'], workflows: ['say-yes'] },
      },
    ]);
    const trainer = await app.trainer();
    const summary = await trainer.fit();
    expect(summary).toMatchObject({ steps: 2, error: null });
    const manifest = JSON.parse(await readFile(join(directory, 'run/manifest.json'), 'utf8'));
    expect(withoutNoOp(manifest.plugins)).toMatchObject([{ name: 'mine', path: join(directory, 'mine.ts') }]);
    const lines = (await readFile(join(directory, 'run/metrics.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).step)).toEqual([1, 2]);
  });

  test('gives one and the same trainer', async () => {
    await using app = await createApp(TRAINS, inMemory());
    const [first, second] = await Promise.all([app.trainer(), app.trainer()]);
    expect(second).toBe(first);
    expect(app.resolve(TRAINER)).toBe(first);
  });

  test('takes a plain function as its workflow, whatever the config names', async () => {
    await using app = await createApp(
      { ...TRAINS, workflow: { use: 'gone' } },
      inMemory({
        workflow: async (_task, context) => context.terminate('env_done'),
      }),
    );
    expect(app.workflows.names()).toEqual(['workflow']);
  });

  test('shares nothing with another app in the process', async () => {
    let setups = 0;
    const counting = definePlugin({
      name: 'counting',
      apiVersion: 1,
      estimators: [namedZero('counted')],
      setup: () => {
        setups += 1;
      },
    });
    await using a = await createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), counting] }));
    await using b = await createApp(
      { ...TRAINS, trainer: { seed: 7 } },
      inMemory({ plugins: [memoryPlugin(), counting] }),
    );
    expect(setups).toBe(2);
    expect(a.estimators).not.toBe(b.estimators);
    expect(a.estimators.get('counted')).not.toBe(b.estimators.get('counted'));
    expect(a.resolve(BACKEND)).not.toBe(b.resolve(BACKEND));
    expect([a, b].map((app) => app.resolve(CONFIG).trainer.seed)).toEqual([a.config.trainer.seed, 7]);
    await a.dispose();
    await expect((await b.trainer()).fit()).resolves.toMatchObject({ error: null });
  });
});

describe('a name', () => {
  test('that a plugin registers works as the default, for a role, and as a grouping hook', async () => {
    const hook: GroupingHook = () => [];
    const { GroupingHook: named } = await import('../../src/grouping/index.js');
    const plugin = definePlugin({
      name: 'mine',
      apiVersion: 1,
      estimators: [namedZero('mine')],
      groupingHooks: [named('own')(hook)],
    });
    const config = {
      algorithm: { estimator: 'mine', estimatorMap: { judge: 'mine' } },
      transform: { groupingHook: 'own' },
    };
    await using app = await createApp(config, { plugins: [plugin], useDeclared: false });
    expect(app.estimators.get('mine')).toBeDefined();
  });

  test('brought twice is an error that names both owners', async () => {
    const plugin = definePlugin({
      name: 'thief',
      apiVersion: 1,
      version: '2.0.0',
      estimators: [namedZero('grpo')],
    });
    const error = await errorOf(createApp({}, { plugins: [plugin], useDeclared: false }));
    expect(error.code).toBe('PLUGIN_INVALID');
    expect(error.message).toContain('built-in and thief@2.0.0');
  });

  test('brought twice is none when the second says that it overrides', async () => {
    const plugin = definePlugin({ name: 'heir', apiVersion: 1, estimators: [namedZero('grpo', true)] });
    await using app = await createApp({}, { plugins: [plugin], useDeclared: false });
    expect(app.estimators.list().find(({ name }) => name === 'grpo')?.owner).toBe('heir');
  });

  test('brought twice by the same part is none', async () => {
    const estimator = namedZero('same');
    const plugins = ['a', 'b'].map((name) => definePlugin({ name, apiVersion: 1, estimators: [estimator] }));
    await using app = await createApp({}, { plugins, useDeclared: false });
    expect(app.estimators.list().find(({ name }) => name === 'same')?.owner).toBe('a');
  });

  test('cannot be added once the app is there', async () => {
    await using app = await createApp({}, { useDeclared: false });
    expect(() => app.estimators.addFunction('late', namedZero('late-too'), 'me')).toThrow(
      expect.objectContaining({ code: 'REGISTRY_FROZEN' }),
    );
  });
});

describe('an override', () => {
  test('replaces the backend before anything is built', async () => {
    const backend: Backend = new InMemoryBackend({ policy: () => 'yes', name: 'mine' });
    await using app = await createApp(
      { ...TRAINS, backend: 'gone' },
      { ...inMemory({ plugins: [] }), override: (container) => container.registerInstance(BACKEND, backend) },
    );
    const trainer = await app.trainer();
    await expect(trainer.fit()).resolves.toMatchObject({ error: null });
    expect(app.resolve(BACKEND)).toBe(backend);
    expect((backend as InMemoryBackend).calls).toContain('start');
  });

  test('replaces the config that plugins and parts see', async () => {
    const seen: number[] = [];
    const plugin = definePlugin({
      name: 'p',
      apiVersion: 1,
      setup: ({ config }) => void seen.push(config.trainer.seed),
    });
    const { resolveConfig } = await import('../../src/config/index.js');
    await using app = await createApp(
      {},
      {
        plugins: [plugin],
        useDeclared: false,
        override: (container) => container.registerInstance(CONFIG, resolveConfig({ trainer: { seed: 11 } })),
      },
    );
    expect(seen).toEqual([11]);
    expect(app.config.trainer.seed).toBe(11);
  });
});

describe('a part that asks for', () => {
  test('a token that nothing binds is an error that names it', async () => {
    await using app = await createApp({}, { useDeclared: false });
    const token = Symbol.for('test/nothing');
    expect(() => app.resolve(token)).toThrow(
      expect.objectContaining({ code: 'INJECTION_FAILED', message: expect.stringContaining('test/nothing') }),
    );
  });

  test('itself in a circle is an error of a few lines', async () => {
    const a = Symbol.for('test/a');
    const b = Symbol.for('test/b');
    await using app = await createApp(
      {},
      {
        useDeclared: false,
        override: (container) => {
          container.register(a, { useFactory: (c) => c.resolve(b) });
          container.register(b, { useFactory: (c) => c.resolve(a) });
        },
      },
    );
    const error = await errorOf((async () => app.resolve(a))());
    expect(error.code).toBe('INJECTION_FAILED');
    expect(error.message.length).toBeLessThan(1000);
  });
});
