import { configFromCode, createApp, type Logger, type RllmConfigInput, SILENT } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import plugin from '../../src/index.js';
import {
  callOf,
  fakeEngine,
  newBackend,
  optionsFor,
  shiftTargets,
  startedBackend,
} from '../drive-backend.js';
import { tinyModel } from '../tiny-model.js';

/** Keeps what is warned of. */
function listening(): Logger & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return { ...SILENT, warnings, warn: (message) => void warnings.push(message) };
}

describe('what the engine cannot do is refused', () => {
  const appFor = async (
    engine: 'hosted' | 'tx' | 'tx-0.3',
    algorithm: RllmConfigInput['algorithm'],
    options = {},
  ) => {
    const server = await fakeEngine({ engine });
    const tinker = await optionsFor(server, { options });
    const config = configFromCode({
      algorithm,
      trainer: { totalBatches: 1, saveFreq: 0 },
      backend: { name: 'tinker', options: { tinker } },
    });
    const app = createApp(config, {
      plugins: [plugin],
      workflow: async () => undefined,
      trainData: [{ id: 'a' }],
      run: null,
      logger: SILENT,
    });
    return { server, app };
  };

  test.each([
    ['tx', { maxGradNorm: 1 }, 'algorithm.maxGradNorm'],
    ['tx', { lossFn: 'dro' }, 'algorithm.lossFn'],
    ['tx', { lossFnMap: { critic: 'cross_entropy' } }, 'algorithm.lossFnMap.critic'],
    ['tx-0.3', { lossFn: 'cispo' }, 'algorithm.lossFn'],
    ['tx-0.3', { lossConfig: { clipHighThreshold: 1.3 } }, 'algorithm.lossConfig.clipHighThreshold'],
  ] as const)('by %s: %o', async (engine, algorithm, path) => {
    const named = await appFor(engine, algorithm, { engine });
    const fault = { details: { faults: [expect.objectContaining({ path })] } };
    // The name of the engine tells before anything is sent.
    await expect(named.app).rejects.toMatchObject(fault);
    expect(named.server.requests).toEqual([]);
    const found = await appFor(engine, algorithm);
    const app = await found.app;
    await expect(app.trainer()).rejects.toMatchObject({ code: 'CAPABILITY_MISSING', ...fault });
    expect(found.server.to('/create_model')).toEqual([]);
    await app.dispose();
  });

  test('a rank that is no power of two, by the hosted service', async () => {
    const { app } = await appFor('hosted', {}, { engine: 'hosted', lora: { rank: 12 } });
    await expect(app).rejects.toMatchObject({
      details: { faults: [expect.objectContaining({ path: 'backend.options.tinker.lora.rank' })] },
    });
  });

  test('a model that it does not serve', async () => {
    const server = await fakeEngine({ engine: 'tx' });
    const backend = await newBackend(server, { options: { model: 'fake/trigram' } });
    await expect(backend.start()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/"fake\/trigram".*"fake\/bigram"/),
    });
    expect(server.to('/create_model')).toEqual([]);
  });
});

test('a whole run from a config learns and ends as completed', async () => {
  const server = await fakeEngine();
  const tinker = await optionsFor(server);
  const app = await createApp(
    configFromCode({
      algorithm: { estimator: 'rloo', learningRate: 1 },
      rollout: { n: 16, train: { maxTokens: 1 } },
      data: { trainBatchSize: 1 },
      trainer: { totalBatches: 10, totalEpochs: 0, saveFreq: 0 },
      backend: { name: 'tinker', options: { tinker } },
    }),
    {
      plugins: [plugin],
      workflow: async (_task, context) => {
        const agent = context.agent('agent');
        const { completionIds } = await agent.respond('go');
        agent.reward(completionIds[0]! < 96 ? 1 : 0);
        context.terminate('env_done');
      },
      trainData: [{ id: 'a' }],
      run: null,
      logger: SILENT,
    },
  );
  const summary = await (await app.trainer()).fit();
  await app.dispose();
  expect(summary.status).toBe('completed');
  expect(summary.lastStep['reward/agent/mean']).toBeGreaterThan(0.7);
  expect(server.engine.violations).toEqual([]);
});

describe('the check at the start', () => {
  test('passes where sampling and training agree', async () => {
    const logger = listening();
    await startedBackend(await fakeEngine(), { logger, options: { selfCheck: 'fail' } });
    expect(logger.warnings).toEqual([]);
  });

  test('stops the run where they do not, or warns', async () => {
    const server = await fakeEngine({ engine: 'tx' });
    server.script('/forward', shiftTargets, shiftTargets);
    const strict = await newBackend(server, { options: { selfCheck: 'fail' } });
    await expect(strict.start()).rejects.toMatchObject({
      code: 'BACKEND_FAILED',
      message: expect.stringMatching(/Sampling and training disagree.*other weights/),
      details: { tokens: 8 },
    });
    const logger = listening();
    await startedBackend(server, { logger, options: { selfCheck: 'warn' } });
    expect(logger.warnings).toEqual([expect.stringContaining('Sampling and training disagree')]);
  });

  test('passes a difference that the options allow', async () => {
    const server = await fakeEngine({ engine: 'tx' });
    server.script('/forward', shiftTargets);
    await startedBackend(server, { options: { selfCheck: 'fail', selfCheckTolerance: 5 } });
  });

  test('is left out where it is off', async () => {
    const server = await fakeEngine();
    await startedBackend(server, { options: { selfCheck: 'off' } });
    expect(server.to('/asample')).toEqual([]);
  });
});

describe('the start', () => {
  test('creates the model as the options say, its seed that of the run', async () => {
    const server = await fakeEngine();
    await startedBackend(server, { options: { lora: { rank: 16, trainUnembed: false } } });
    expect(server.to('/create_model')[0]?.body).toMatchObject({
      base_model: 'fake/bigram',
      lora_config: { rank: 16, seed: 0, train_unembed: false, train_mlp: true, train_attn: true },
    });
  });

  test('names the address and the reason when the engine refuses the key', async () => {
    const server = await fakeEngine();
    server.script('/create_session', { status: 401, body: { detail: 'unknown key' } });
    const backend = await newBackend(server);
    const start = backend.start();
    await expect(start).rejects.toMatchObject({
      code: 'BACKEND_FAILED',
      message: expect.stringContaining(server.url),
    });
    await expect(start).rejects.toThrow(/unknown key/);
    await expect(start).rejects.not.toThrow(/tml-of-a-test/);
  });

  test('refuses a folder without a tokenizer before anything is sent', async () => {
    const server = await fakeEngine();
    const backend = await newBackend(server, { options: { tokenizer: '/nowhere' } });
    await expect(backend.start()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(server.requests).toEqual([]);
  });

  test('warns of sampling that log-probs do not know of', async () => {
    const server = await fakeEngine();
    const logger = listening();
    const backend = await newBackend(server, { logger, sampling: { temperature: 0.7 } });
    await backend.start();
    expect(logger.warnings).toEqual([expect.stringContaining('temperature 0.7')]);
  });

  test('takes the lengths from the options, the engine, or the folder', async () => {
    const call = callOf([{ role: 'user', content: 'x'.repeat(3000) }]);
    const longest = async (engine: 'hosted' | 'tx', options = {}) => {
      const backend = await startedBackend(await fakeEngine({ engine }), { options });
      return backend.rolloutEngine.getModelResponse(call).then(
        () => 'fits',
        (error: { readonly details: { readonly maxLength: number } }) => error.details.maxLength,
      );
    };
    expect(await longest('hosted')).toBe('fits');
    expect(await longest('tx')).toBe(tinyModel('').modelConfig['max_position_embeddings']);
    expect(await longest('tx', { maxLength: 100 })).toBe(100);
  });
});
