import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { AdvEstimator } from '../../src/advantage/index.js';
import type { BackendCapabilities } from '../../src/backend/index.js';
import { configFromCode, loadConfig, type RllmConfigInput } from '../../src/config/index.js';
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

  test('names the flag that a plugin which is not there comes from, not the config file', async () => {
    const directory = await createProject({ 'rllmrc.json': '{ "plugins": ["./first.ts"] }' });
    const loaded = await loadConfig({ cwd: directory, env: {}, set: ['plugins.0=./gone.ts'] });
    const error = await errorOf(createApp(loaded));
    expect(error.details['faults']).toMatchObject([
      { file: null, where: '--set plugins.0', path: 'plugins[0]', plugin: './gone.ts' },
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
      {
        path: 'backend.options.local.vocabulary',
        file: join(directory, 'rllmrc.json'),
        line: 2,
        message: 'missing; expected object',
      },
    ]);
  });

  test('of a backend are checked by its schema, also of one that is not in use', async () => {
    const error = await errorOf(
      createApp(
        configFromCode({ ...TRAINS, backend: { name: 'in-memory', options: { local: { wrokers: 1 } } } }),
        inMemory(),
      ),
    );
    expect(faultPaths(error).every((path) => path.startsWith('backend.options.local'))).toBe(true);
  });
});

describe('estimators', () => {
  const options = z.strictObject({ k: z.number().min(1).default(4) });
  const best = AdvEstimator('best_of', {
    options,
    check: ({ rollouts, tasksPerBatch, options: given }) => {
      const { k } = given as z.output<typeof options>;
      return [
        ...(rollouts < k ? [`the best of ${k} needs ${k} rollouts, and there are ${rollouts}`] : []),
        ...(tasksPerBatch < 2 ? ['one task has no others'] : []),
      ];
    },
  })(({ rewards, options: given }) => ({
    advantages: rewards.map((own) => own.map(() => (given as z.output<typeof options>).k)),
  }));
  const perToken = AdvEstimator('by_token', { perToken: true })(() => ({ advantages: [] }));
  const plugin = definePlugin({ name: 'p', apiVersion: 1, estimators: [best, perToken] });
  const faultsWith = async (
    algorithm: object,
    more: RllmConfigInput = {},
    capabilities: Partial<BackendCapabilities> = {},
  ): Promise<readonly { path: string; message: string; nearest?: string }[]> => {
    const plugins = [memoryPlugin({ capabilities }), plugin];
    const error = await errorOf(
      createApp(configFromCode({ ...TRAINS, ...more, algorithm }), inMemory({ plugins })),
    );
    return error.details['faults'] as readonly { path: string; message: string; nearest?: string }[];
  };

  test('have their options checked at start, used or not, and known names only', async () => {
    const faults = await faultsWith({
      estimatorOptions: { best_of: { k: 0, j: 1 }, grpo: { eps: 1 }, bestof: {} },
    });
    expect(faults.map(({ path }) => path).sort()).toEqual([
      'algorithm.estimatorOptions.best_of',
      'algorithm.estimatorOptions.best_of.k',
      'algorithm.estimatorOptions.bestof',
      'algorithm.estimatorOptions.grpo.eps',
    ]);
    expect(faults.find(({ path }) => path.endsWith('bestof'))?.nearest).toBe('best_of');
  });

  test('say at start why a run cannot be, at the path that names them', async () => {
    const faults = await faultsWith(
      { estimator: 'best_of', estimatorMap: { judge: 'prpo' }, estimatorOptions: { best_of: { k: 8 } } },
      { data: { trainBatchSize: 1 } },
    );
    expect(faults).toMatchObject([
      { path: 'algorithm.estimator', message: expect.stringContaining('needs 8 rollouts, and there are 4') },
      { path: 'algorithm.estimator', message: expect.stringContaining('one task has no others') },
      { path: 'algorithm.estimatorMap.judge', message: expect.stringContaining('data.trainBatchSize') },
    ]);
  });

  test('judge the tasks that rejection sampling gathers as one batch', async () => {
    const config: RllmConfigInput = {
      ...TRAINS,
      data: { trainBatchSize: 1 },
      algorithm: { estimator: 'reinforce_plus_plus_baseline' },
      rejectionSample: { mode: 'episode', minPartialSolveTasks: 2 },
    };
    await expect(createApp(config, inMemory())).resolves.toBeDefined();
    const error = await errorOf(createApp({ ...config, rejectionSample: {} }, inMemory()));
    expect(faultPaths(error)).toEqual(['algorithm.estimator']);
  });

  test('are not asked whether they can train where nothing trains', async () => {
    const config = { ...TRAINS, data: { trainBatchSize: 1 }, algorithm: { estimator: 'prpo' } };
    await expect(createApp(config, inMemory({ validateOnly: true }))).resolves.toBeDefined();
  });

  test('that give advantages per token need a backend that takes them', async () => {
    expect(await faultsWith({ estimator: 'by_token' }, {}, { perTokenAdvantages: false })).toMatchObject([
      { path: 'algorithm.estimator', message: expect.stringContaining('"in-memory" takes one per step') },
    ]);
  });

  test('and KL in the reward need reference log-probs, which the backend is told', async () => {
    const klInReward = { coefficient: 0.1 };
    expect(await faultsWith({ klInReward })).toMatchObject([
      {
        path: 'algorithm.klInReward.coefficient',
        message: expect.stringContaining('no reference log-probs'),
      },
    ]);
    let asked: ReadonlySet<string> | undefined;
    const able = inMemoryBackend({ policy: () => 'yes', capabilities: { referenceLogprobs: true } });
    const backend = {
      ...able,
      create: (given: unknown, context: Parameters<typeof able.create>[1]) => {
        asked = context.requirements;
        return able.create(given, context);
      },
    };
    const plugins = [definePlugin({ name: 'm', apiVersion: 1, backends: [backend] })];
    await createApp({ ...TRAINS, algorithm: { klInReward } }, inMemory({ plugins }));
    expect([...(asked ?? [])].sort()).toEqual(['logprobs', 'referenceLogprobs']);
  });

  test('get their options in a run', async () => {
    const plugins = [memoryPlugin(), plugin];
    const algorithm = { estimator: 'best_of', estimatorOptions: { best_of: { k: 3 } } };
    await using app = await createApp({ ...TRAINS, algorithm }, inMemory({ plugins }));
    const summary = await (await app.trainer()).fit();
    expect(summary.lastStep['advantage/speaker/mean']).toBe(3);
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
      'backend.name: The backend "broken-backend" of broken could not be built: no device',
    );
  });

  test.each<[string, unknown, string]>([
    [
      'methods are missing',
      {
        rolloutEngine: {},
        capabilities: {},
        start() {},
        processBatch() {},
        saveCheckpoint() {},
        shutdown() {},
      },
      'what create() gives has no transformToBackendBatch(), updatePolicy(), loadCheckpoint(), rolloutEngine.getModelResponse().',
    ],
    ['is a promise', Promise.resolve({}), 'create() must give a backend, at once; got a promise.'],
    ['is nothing', undefined, 'create() must give a backend, at once; got undefined.'],
  ])('of which %s is a fault before any rollout', async (_, given, says) => {
    const broken = { ...inMemoryBackend({ policy: () => '', name: 'broken' }), create: () => given as never };
    const plugin = definePlugin({ name: 'p', apiVersion: 1, backends: [broken] });
    const error = await errorOf(createApp({ backend: 'broken' }, { plugins: [plugin], useDeclared: false }));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain(`backend.name: The backend "broken" of p could not be built: ${says}`);
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
