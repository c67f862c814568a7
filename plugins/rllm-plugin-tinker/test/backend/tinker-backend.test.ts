import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metrics, TrajectoryGroup } from 'rllm-sdk';
import type { FakeRequest, FakeTinker } from 'rllm-tinker-client/testing';
import { describe, expect, test } from 'vitest';
import {
  BASE_MODEL,
  callOf,
  fakeEngine,
  meanReward,
  newBackend,
  sampledGroups,
  startedBackend,
  temporaryFolder,
  train,
} from '../drive-backend.js';

const TRAINING = ['/forward_backward', '/optim_step', '/save_weights_for_sampler', '/save_weights'];
const trainingPaths = (server: FakeTinker): readonly string[] =>
  server.requests.map(({ path }) => path).filter((path) => TRAINING.includes(path));

interface WireInput {
  readonly loss_fn: string;
  readonly loss_fn_config?: Readonly<Record<string, number>>;
  readonly data: readonly {
    readonly model_input: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
    readonly loss_fn_inputs: Readonly<Record<string, { readonly data: readonly number[] }>>;
  }[];
}

const inputOf = (request: FakeRequest | undefined): WireInput =>
  request?.body?.['forward_backward_input'] as WireInput;
const inputs = (server: FakeTinker): readonly WireInput[] => server.to('/forward_backward').map(inputOf);

describe.each(['hosted', 'tx', 'tx-0.3'] as const)('on the engine %s', (engine) => {
  test('a run learns, on its own samples at every step', async () => {
    const server = await fakeEngine({ engine });
    const backend = await startedBackend(server, {
      options: { selfCheck: 'fail', engine },
      algorithm: { learningRate: 1 },
    });
    const rewards: number[] = [];
    for (let step = 1; step <= 10; step++) {
      const groups = await sampledGroups(backend, step, { size: 32 });
      rewards.push(meanReward(groups));
      const metrics = await train(backend, step, groups);
      expect(metrics['train/kl_sample_train_v1']).toBeLessThan(1e-6);
    }
    expect(rewards[0]).toBeLessThan(0.5);
    expect(rewards.at(-1)).toBeGreaterThan(0.8);
    expect(backend.weightVersion).toBe(10);
    expect(server.engine.violations).toEqual([]);
  });

  test('a resumed run goes on as one that was never interrupted', async () => {
    const server = await fakeEngine({ engine });
    const setting = { options: { engine } };
    const whole = await startedBackend(server, setting);
    for (const step of [1, 2]) await train(whole, step, await sampledGroups(whole, step));
    const directory = await temporaryFolder();
    await whole.saveCheckpoint(directory);
    const goOn = async (backend: typeof whole) => {
      const groups = await sampledGroups(backend, 3);
      const metrics = await train(backend, 3, groups);
      return {
        ids: idsOf(groups),
        loss: metrics['train/loss'],
        next: idsOf(await sampledGroups(backend, 4)),
      };
    };
    const expected = await goOn(whole);
    const resumed = await startedBackend(server, setting);
    await resumed.loadCheckpoint(directory);
    expect(resumed.weightVersion).toBe(2);
    expect(await goOn(resumed)).toEqual(expected);
    expect(resumed.weightVersion).toBe(3);
    expect(server.engine.violations).toEqual([]);
  });
});

const idsOf = (groups: readonly TrajectoryGroup[]) =>
  groups.flatMap(({ trajectories }) => trajectories.flatMap(({ steps }) => steps.map((s) => s.responseIds)));

describe('an update', () => {
  test('is forward_backward, optim_step and a sampler of the new weights', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server);
    await train(backend, 1, await sampledGroups(backend, 1));
    expect(trainingPaths(server)).toEqual([
      '/save_weights_for_sampler',
      '/forward_backward',
      '/optim_step',
      '/save_weights_for_sampler',
    ]);
    const output = await backend.rolloutEngine.getModelResponse(callOf([{ role: 'user', content: '' }]));
    expect(output.weightVersion).toBe(1);
  });

  test.each([
    { engine: 'hosted' as const, names: ['target_tokens', 'logprobs', 'advantages'] },
    { engine: 'tx' as const, names: ['target_tokens', 'logprobs', 'advantages', 'weights'] },
  ])('sends the engine $engine the loss inputs that it takes', async ({ engine, names }) => {
    const server = await fakeEngine({ engine });
    const backend = await startedBackend(server, { options: { engine, wire: 'json' } });
    const groups = await sampledGroups(backend, 1, { size: 2 });
    await train(backend, 1, groups);
    const { promptIds, responseIds, logprobs, advantage } = groups[0]!.trajectories[0]!.steps[0]!;
    const [datum] = inputs(server)[0]!.data;
    const zeros = promptIds.slice(1).map(() => 0);
    const expected: Readonly<Record<string, readonly number[]>> = {
      target_tokens: [...promptIds.slice(1), ...responseIds],
      logprobs: [...zeros, Math.fround(logprobs[0]!)],
      advantages: [...zeros, advantage as number],
      weights: [...zeros, 1],
    };
    expect(datum?.model_input.chunks.flatMap(({ tokens }) => tokens)).toEqual(promptIds);
    expect(Object.keys(datum!.loss_fn_inputs)).toEqual(names);
    for (const name of names)
      expect(datum!.loss_fn_inputs[name]!.data.map(Math.fround)).toEqual(expected[name]!.map(Math.fround));
  });

  test('has one call for each loss and one step on all of them', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server, {
      options: { wire: 'json' },
      algorithm: {
        lossFnMap: { b: 'cispo', c: 'dro' },
        lossConfig: { clipLowThreshold: 0.7, clipHighThreshold: null, beta: 0.1 },
      },
    });
    await train(backend, 1, await sampledGroups(backend, 1, { roles: ['a', 'b', 'c', 'd'], size: 2 }));
    const calls = inputs(server).map(({ loss_fn, loss_fn_config, data }) => [
      loss_fn,
      loss_fn_config,
      data.length,
    ]);
    expect(calls).toEqual([
      ['ppo', { clip_low_threshold: 0.7, clip_high_threshold: 1.2 }, 4],
      ['cispo', { clip_low_threshold: 0.7, clip_high_threshold: 4 }, 2],
      ['dro', { beta: 0.1 }, 2],
    ]);
    expect(server.to('/optim_step')).toHaveLength(1);
  });

  test('has the learning rate of its step in the plan, and the Adam settings of the config', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server, {
      algorithm: {
        learningRate: 0.5,
        lrSchedule: 'linear',
        warmupStepsRatio: 0.4,
        maxGradNorm: 2,
        adam: { beta1: 0.8, beta2: 0.9, eps: 1e-6, weightDecay: 0.01 },
      },
    });
    for (const step of [2, 7]) await train(backend, step, await sampledGroups(backend, step, { size: 2 }));
    const settings = server.to('/optim_step').map(({ body }) => body?.['adam_params']);
    const rest = { beta1: 0.8, beta2: 0.9, eps: 1e-6, weight_decay: 0.01, grad_clip_norm: 2 };
    expect(settings).toEqual([
      { learning_rate: 0.25, ...rest },
      { learning_rate: 0.25, ...rest },
    ]);
  });

  test('takes 2e-5 where neither the algorithm nor the options name a rate', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server, { algorithm: { learningRate: null } });
    const metrics = await train(backend, 1, await sampledGroups(backend, 1, { size: 2 }));
    expect(metrics['optim/lr']).toBe(2e-5);
  });

  test('in several steps submits each before the results of the one before are there', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server, { algorithm: { miniBatches: 2, updateEpochs: 2 } });
    const groups = await sampledGroups(backend, 1);
    // Nothing is done before the second step was submitted, and the last only after the sampler was.
    const isEarly = (): boolean =>
      server.to('/optim_step').length < 2 ||
      (server.to('/optim_step').length === 4 && server.to('/save_weights_for_sampler').length < 2);
    server.script(
      '/retrieve_future',
      ...Array.from({ length: 20_000 }, () => () => (isEarly() ? { status: 408 } : undefined)),
    );
    const metrics = await train(backend, 1, groups);
    expect(metrics['optim/steps']).toBe(4);
    expect(backend.weightVersion).toBe(4);
    expect(trainingPaths(server).slice(1)).toEqual([
      ...['/forward_backward', '/optim_step', '/forward_backward', '/optim_step'],
      ...['/forward_backward', '/optim_step', '/forward_backward', '/optim_step'],
      '/save_weights_for_sampler',
    ]);
  });

  test.each([
    { engine: 'tx' as const, submits: 'ahead', passes: 2 },
    { engine: 'tx-0.3' as const, submits: 'one by one', passes: 1 },
  ])('in several steps submits them $submits to $engine', async ({ engine, passes }) => {
    const server = await fakeEngine({ engine });
    const backend = await startedBackend(server, { options: { engine }, algorithm: { miniBatches: 2 } });
    const groups = await sampledGroups(backend, 1);
    let most = 0;
    const later = () => {
      most = Math.max(most, server.to('/forward_backward').length);
      return { status: 408 };
    };
    server.script('/retrieve_future', ...Array.from({ length: 12 }, () => later));
    const metrics = await train(backend, 1, groups);
    expect([most, metrics['optim/steps']]).toEqual([passes, 2]);
  });

  test('of nothing that can be trained on changes nothing', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server);
    const metrics = await train(backend, 1, [
      { groupId: 'g', role: 'a', taskId: 't', trajectories: [], metadata: [] },
    ]);
    expect(server.to('/optim_step')).toEqual([]);
    expect([metrics['optim/steps'], backend.weightVersion]).toEqual([undefined, 0]);
  });

  test('that the engine refuses fails with what the engine said', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server);
    const groups = await sampledGroups(backend, 1);
    server.script('/optim_step', { status: 400, body: { detail: 'no room for moments' } });
    await expect(train(backend, 1, groups)).rejects.toMatchObject({
      code: 'BACKEND_FAILED',
      message: expect.stringMatching(/step 1.*no room for moments/),
      details: { status: 400 },
    });
    expect(backend.weightVersion).toBe(0);
  });
});

describe('samples', () => {
  test('wait for the new weights while an engine trains in the place it samples from', async () => {
    const server = await fakeEngine({ engine: 'tx' });
    const backend = await startedBackend(server);
    const groups = await sampledGroups(backend, 1);
    const before = server.requests.length;
    const update = train(backend, 1, groups);
    await Promise.resolve();
    const late = backend.rolloutEngine.getModelResponse(callOf([{ role: 'user', content: 'x' }]));
    await update;
    expect((await late).weightVersion).toBe(1);
    const paths = server.requests.slice(before).map(({ path }) => path);
    expect(paths.indexOf('/asample')).toBeGreaterThan(paths.indexOf('/save_weights_for_sampler'));
  });

  test('are the same for the same weights, seed and identity, and others otherwise', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server);
    const sample = async (where: object) =>
      (
        await backend.rolloutEngine.getModelResponse(
          callOf([{ role: 'user', content: 'x' }], where, { maxTokens: 12 }),
        )
      ).completionIds;
    expect(await sample({ rolloutIndex: 1 })).toEqual(await sample({ rolloutIndex: 1 }));
    expect(await sample({ rolloutIndex: 1 })).not.toEqual(await sample({ rolloutIndex: 2 }));
  });
});

describe('the base model', () => {
  test('gives the reference log-probs where somebody needs them', async () => {
    const server = await fakeEngine({ engine: 'tx' });
    const backend = await startedBackend(server, { requirements: new Set(['referenceLogprobs']) });
    const first = await sampledGroups(backend, 1);
    const atStart = await train(backend, 1, first);
    expect(atStart['train/kl_reference']).toBeCloseTo(0, 6);
    for (const { steps } of first[0]!.trajectories) {
      const [{ referenceLogprobs, logprobs } = { logprobs: [] }] = steps;
      expect(referenceLogprobs).toHaveLength(1);
      expect(referenceLogprobs?.[0]).toBeCloseTo(logprobs[0]!, 6);
    }
    const second = await sampledGroups(backend, 2);
    const later = await train(backend, 2, second);
    const differences = second[0]!.trajectories.map(
      ({ steps: [step] }) => step!.logprobs[0]! - step!.referenceLogprobs![0]!,
    );
    const mean = differences.reduce((a, b) => a + b, 0) / differences.length;
    expect(later['train/kl_reference']).toBeCloseTo(mean, 12);
    expect(Math.abs(mean)).toBeGreaterThan(1e-3);
  });

  test('is not asked otherwise', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server);
    const groups = await sampledGroups(backend, 1, { size: 2 });
    await train(backend, 1, groups);
    expect(groups[0]!.trajectories[0]!.steps[0]!.referenceLogprobs).toBeUndefined();
    expect(server.to('/create_sampling_session')).toEqual([]);
  });
});

test('every metric has a row in the glossary', async () => {
  const glossary = await readFile(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8');
  const logged = new Set<string>();
  for (const engine of ['hosted', 'tx'] as const) {
    const backend = await startedBackend(await fakeEngine({ engine }), {
      requirements: new Set(['referenceLogprobs']),
    });
    const metrics = await train(backend, 1, await sampledGroups(backend, 1, { size: 2 }));
    for (const name of Object.keys(metrics)) logged.add(name);
  }
  expect([...logged].filter((name) => !glossary.includes(`| \`${name}\` |`))).toEqual([]);
});

test('metrics have the names of the reference', async () => {
  const names = (metrics: Metrics): readonly string[] => Object.keys(metrics).sort();
  const server = await fakeEngine();
  const backend = await startedBackend(server);
  const hosted = await train(backend, 1, await sampledGroups(backend, 1));
  expect(names(hosted)).toEqual(
    expect.arrayContaining([
      'batch/action_token_ratio/mean',
      'batch/merge_compression_ratio',
      'batch/prefix_breaks',
      'batch/step_response_length/max',
      'batch/steps_per_traj/min',
      'episode/malformed_tool_calls',
      'episode/rewritten_prompts',
      'optim/lr',
      'optim/steps',
      'progress/lr',
      'time/refresh_sampler_s',
      'train/clip_fraction',
      'train/entropy',
      'train/kl_sample_train_v1',
      'train/kl_sample_train_v2',
      'train/loss',
      'train/loss/sum',
      'train/perplexity',
    ]),
  );
  expect(hosted['train/loss/sum']).toBeCloseTo(hosted['train/loss']! * 16, 4);
  expect(hosted['train/perplexity']).toBe(Math.exp(hosted['train/entropy']!));
  const tx = await startedBackend(await fakeEngine({ engine: 'tx' }));
  const metrics = await train(tx, 1, await sampledGroups(tx, 1));
  expect(metrics['optim/grad_norm']).toBeGreaterThan(0);
  expect(names(metrics).filter((name) => /skyrl|learning_rate/.test(name))).toEqual([]);
});

describe('a checkpoint', () => {
  test('is a file that says where the weights are', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server);
    const directory = await temporaryFolder();
    await backend.saveCheckpoint(directory);
    const [model] = server.engine.models.keys();
    expect(JSON.parse(await readFile(join(directory, 'tinker.json'), 'utf8'))).toEqual({
      format: 1,
      statePath: `tinker://${model}/weights/000000`,
      samplerPath: `tinker://${model}/sampler_weights/000000`,
      baseModel: BASE_MODEL,
      loraRank: 32,
      weightVersion: 0,
      engine: 'hosted',
      modelId: model,
    });
  });

  test('of weights that were saved before gets another name', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server);
    for (let time = 0; time < 2; time++) await backend.saveCheckpoint(await temporaryFolder());
    const [model] = server.engine.models.values();
    expect([...model!.states.keys()]).toEqual(['000000', '000000-2']);
  });

  test('of another model, a damaged one, or one that the engine has lost is refused', async () => {
    const server = await fakeEngine();
    const backend = await startedBackend(server);
    const directory = await temporaryFolder();
    await expect(backend.loadCheckpoint(directory)).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' });
    await backend.saveCheckpoint(directory);
    const other = await startedBackend(server, { options: { lora: { rank: 8 } } });
    await expect(other.loadCheckpoint(directory)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringMatching(/loraRank is 32, the config says 8/),
    });
    const file = join(directory, 'tinker.json');
    const saved = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...saved, statePath: 'tinker://gone/weights/000000' }));
    await expect(backend.loadCheckpoint(directory)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringContaining('tinker://gone/weights/000000'),
    });
  });

  test('that is loaded gives the model before it back', async () => {
    const server = await fakeEngine({ engine: 'tx' });
    const backend = await startedBackend(server);
    const directory = await temporaryFolder();
    await backend.saveCheckpoint(directory);
    await backend.loadCheckpoint(directory);
    expect([...server.engine.models.values()].map(({ isLoaded }) => isLoaded)).toEqual([false, true]);
  });
});

describe('shutting down', () => {
  test('twice is once, and frees the model of tx', async () => {
    const server = await fakeEngine({ engine: 'tx' });
    const backend = await startedBackend(server);
    await backend.shutdown();
    await backend.shutdown();
    expect([...server.engine.models.values()].map(({ isLoaded }) => isLoaded)).toEqual([false]);
    expect(server.to('/unload_model')).toHaveLength(1);
  });

  test('during the start ends it', async () => {
    const server = await fakeEngine();
    server.script('/create_model', 'hang');
    const backend = await newBackend(server);
    const start = backend.start();
    const failed = expect(start).rejects.toMatchObject({ code: 'BACKEND_FAILED' });
    await expect.poll(() => server.to('/create_model').length).toBe(1);
    await backend.shutdown();
    await failed;
  });

  test('before the start keeps it from starting', async () => {
    const backend = await newBackend(await fakeEngine());
    await backend.shutdown();
    await expect(backend.start()).rejects.toMatchObject({ code: 'BACKEND_FAILED' });
  });
});

test('nothing works before the start', () =>
  fakeEngine().then(async (server) => {
    const backend = await newBackend(server);
    const call = () => backend.rolloutEngine.getModelResponse(callOf([{ role: 'user', content: '' }]));
    expect(call).toThrow(expect.objectContaining({ code: 'BACKEND_FAILED' }));
  }));
