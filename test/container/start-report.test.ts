import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { AdvEstimator } from '../../src/advantage/index.js';
import type { BackendCapabilities } from '../../src/backend/index.js';
import { loadConfig, type RllmConfigInput } from '../../src/config/index.js';
import { createApp } from '../../src/container/index.js';
import { definePlugin } from '../../src/plugin-host/index.js';
import { inMemoryBackend } from '../../src/testing/index.js';
import { defineWorkflow } from '../../src/workflow/index.js';
import { createProject } from '../plugin-host/project.js';
import { errorOf, faultPaths, inMemory, memoryPlugin, TRAINS } from './app-kit.js';

describe('one report', () => {
  test('tells a wrong key, a wrong type, a broken plugin and every unknown name, each with file, path and nearest name', async () => {
    const directory = await createProject({
      'rllmrc.json': JSON.stringify(
        {
          plugins: ['./gone.ts'],
          algorithm: { estimater: 'grpo', estimator: 'gropo', estimatorMap: { judge: 'reinforse' } },
          transform: { groupingHook: 'task_rol' },
          rollout: { n: 'four' },
          workflow: { use: 'guess' },
          backend: { name: 'locl', options: { lokal: {} } },
          tracking: { trackers: ['consol'] },
        },
        null,
        2,
      ),
    });
    const loaded = await loadConfig({ cwd: directory, env: {}, onFault: 'collect' });
    const error = await errorOf(createApp(loaded, { useDeclared: false }));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', exitCode: 2 });
    expect(error.details['faults']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: 'algorithm.estimater', nearest: 'estimator' }),
        expect.objectContaining({ path: 'rollout.n' }),
        expect.objectContaining({ path: 'plugins[0]', plugin: './gone.ts' }),
        expect.objectContaining({ path: 'algorithm.estimator', nearest: 'grpo' }),
        expect.objectContaining({ path: 'algorithm.estimatorMap.judge', nearest: 'reinforce' }),
        expect.objectContaining({ path: 'transform.groupingHook', nearest: 'task_role' }),
        expect.objectContaining({ path: 'workflow.use' }),
        expect.objectContaining({ path: 'backend.name', nearest: 'local' }),
        expect.objectContaining({ path: 'backend.options.lokal', nearest: 'local' }),
        expect.objectContaining({ path: 'tracking.trackers[0]', nearest: 'console' }),
      ]),
    );
    const faults = error.details['faults'] as readonly { readonly file: string | null }[];
    expect(faults).toHaveLength(10);
    for (const { file } of faults) expect(file).toBe(join(directory, 'rllmrc.json'));
    expect(error.message.split('\n').filter((line) => line.includes('rllmrc.json'))).toHaveLength(10);
  });

  test('names the flag that a wrong name comes from', async () => {
    const directory = await createProject({ 'rllmrc.json': '{}' });
    const loaded = await loadConfig({ cwd: directory, env: {}, set: ['algorithm.estimator=gropo'] });
    const error = await errorOf(createApp(loaded));
    expect(error.details['faults']).toMatchObject([
      { file: null, where: expect.stringContaining('--set'), nearest: 'grpo' },
    ]);
  });

  test('says that only plugins are wrong by its code, and keeps what they threw', async () => {
    const plugin = definePlugin({
      name: 'p',
      apiVersion: 1,
      setup() {
        throw new TypeError('no database');
      },
    });
    const error = await errorOf(createApp({}, { plugins: [plugin] }));
    expect(error).toMatchObject({
      code: 'PLUGIN_INVALID',
      cause: { name: 'TypeError', message: 'no database' },
    });
    expect(error.message).toContain('Plugin "p" threw in setup(): no database');
  });
});

describe('options', () => {
  const workflow = defineWorkflow({
    name: 'typed',
    options: z.strictObject({ turns: z.number() }),
    run: async () => undefined,
  });

  test('of the workflow are checked by its schema', async () => {
    const error = await errorOf(
      createApp({ ...TRAINS, workflow: { options: { turns: 'three' } } }, inMemory({ workflow })),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(faultPaths(error)).toEqual(['workflow.options.turns']);
  });

  test('that are missing are placed where they are missing from', async () => {
    const directory = await createProject({
      'rllmrc.json': '{\n  "backend": { "name": "local", "options": { "local": {} } }\n}',
    });
    const loaded = await loadConfig({ cwd: directory, env: {} });
    const error = await errorOf(createApp(loaded, { useDeclared: false }));
    expect(error.details['faults']).toMatchObject([
      { path: 'backend.options.local.vocabulary', file: join(directory, 'rllmrc.json'), line: 2 },
    ]);
  });

  test('of a backend are checked by its schema, also of one that is not in use', async () => {
    const error = await errorOf(
      createApp(
        { ...TRAINS, backend: { name: 'in-memory', options: { local: { wrokers: 1 } } } },
        inMemory(),
      ),
    );
    expect(faultPaths(error).every((path) => path.startsWith('backend.options.local'))).toBe(true);
  });
});

describe('a backend', () => {
  test('that cannot be built is a fault with its owner', async () => {
    const plugin = definePlugin({
      name: 'broken',
      apiVersion: 1,
      backends: [
        {
          ...inMemoryBackend({ policy: () => '', name: 'broken-backend' }),
          create: () => {
            throw new Error('no device');
          },
        },
      ],
    });
    const error = await errorOf(
      createApp({ backend: 'broken-backend' }, { plugins: [plugin], useDeclared: false }),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain(
      'backend.name: the backend "broken-backend" of broken could not be built: no device',
    );
  });

  test('says itself what of the config does not suit it', async () => {
    const check = (): readonly { path: string; message: string }[] => [
      { path: 'algorithm.learningRate', message: 'is above 1' },
    ];
    const picky = { ...inMemoryBackend({ policy: () => '', name: 'picky' }), check };
    const plugin = definePlugin({ name: 'p', apiVersion: 1, backends: [picky] });
    const error = await errorOf(createApp({ backend: 'picky' }, { plugins: [plugin], useDeclared: false }));
    expect(faultPaths(error)).toEqual(['algorithm.learningRate']);
  });
});

describe('what a config leaves out altogether', () => {
  test('is no fault before a trainer is asked for', async () => {
    await using app = await createApp({}, { useDeclared: false, run: null });
    const error = await errorOf(app.trainer());
    expect(error.code).toBe('CONFIG_INVALID');
    expect(faultPaths(error)).toContain('workflow.use');
    expect(faultPaths(error).some((path) => path.startsWith('backend.options.local'))).toBe(true);
  });

  test('is in the report at once when the app shall be complete', async () => {
    const error = await errorOf(
      createApp({ algorithm: { estimator: 'gropo' } }, { useDeclared: false, complete: true }),
    );
    expect(faultPaths(error)).toEqual(expect.arrayContaining(['algorithm.estimator', 'workflow.use']));
  });
});

describe('a setting that the backend cannot honour', () => {
  const using = (config: RllmConfigInput, capabilities: Partial<BackendCapabilities>): Promise<unknown> =>
    createApp({ ...TRAINS, ...config }, inMemory({ plugins: [memoryPlugin({ capabilities })] }));

  test.each<{
    what: string;
    config: RllmConfigInput;
    capabilities: Partial<BackendCapabilities>;
    path: string;
    nearest?: string;
  }>([
    {
      what: 'a loss',
      config: { algorithm: { lossFn: 'pppo' } },
      capabilities: {},
      path: 'algorithm.lossFn',
      nearest: 'ppo',
    },
    {
      what: 'a loss of one role',
      config: { algorithm: { lossFnMap: { 'the judge.': 'dpo' } } },
      capabilities: {},
      path: 'algorithm.lossFnMap["the judge."]',
      nearest: 'ppo',
    },
    {
      what: 'clipping',
      config: { algorithm: { maxGradNorm: 1 } },
      capabilities: { gradientClipping: false },
      path: 'algorithm.maxGradNorm',
    },
    {
      what: 'a schedule',
      config: { algorithm: { lrSchedule: 'cosine' } },
      capabilities: { learningRateSchedules: ['constant'] },
      path: 'algorithm.lrSchedule',
    },
    {
      what: 'mini-batches',
      config: { algorithm: { miniBatches: 2 } },
      capabilities: { miniBatches: false },
      path: 'algorithm.miniBatches',
    },
    {
      what: 'several passes',
      config: { algorithm: { updateEpochs: 2 } },
      capabilities: { miniBatches: false },
      path: 'algorithm.updateEpochs',
    },
    {
      what: 'checkpoints',
      config: { trainer: { saveFreq: 5 } },
      capabilities: { checkpoints: false },
      path: 'trainer.saveFreq',
    },
    { what: 'training', config: {}, capabilities: { training: false }, path: 'trainer.valOnly' },
  ])('is an error at start: $what', async ({ config, capabilities, path, nearest }) => {
    const error = await errorOf(using(config, capabilities));
    expect(error.code).toBe('CAPABILITY_MISSING');
    const [fault] = error.details['faults'] as readonly {
      path: string;
      message: string;
      expected?: string;
      nearest?: string;
    }[];
    expect(fault?.path).toBe(path);
    expect(fault?.message).toContain('"in-memory"');
    expect(fault?.expected).toBeDefined();
    expect(fault?.nearest).toBe(nearest);
  });

  test('is told although the backend cannot be built for want of options', async () => {
    const error = await errorOf(
      createApp({ algorithm: { lossFn: 'pppo' }, backend: 'local' }, { useDeclared: false }),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(faultPaths(error)).toEqual(['backend.options.local.vocabulary', 'algorithm.lossFn']);
  });

  test('is none for a backend that cannot train when only validation is wanted', async () => {
    await expect(using({ trainer: { valOnly: true } }, { training: false })).resolves.toBeDefined();
    const plugins = [memoryPlugin({ capabilities: { training: false } })];
    await expect(createApp(TRAINS, inMemory({ plugins, validateOnly: true }))).resolves.toBeDefined();
  });

  test('may be what an estimator needs', async () => {
    const needy = AdvEstimator('needy', { requires: ['logprobs', 'values', 'lengths'] })(() => ({
      advantages: [],
    }));
    const plugin = definePlugin({ name: 'p', apiVersion: 1, estimators: [needy] });
    const plugins = [memoryPlugin({ capabilities: { logprobs: false } }), plugin];
    const error = await errorOf(
      createApp({ ...TRAINS, algorithm: { estimatorMap: { judge: 'needy' } } }, inMemory({ plugins })),
    );
    expect(error.code).toBe('CAPABILITY_MISSING');
    expect(faultPaths(error)).toEqual(['algorithm.estimatorMap.judge', 'algorithm.estimatorMap.judge']);
  });
});
