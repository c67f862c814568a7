import { describe, expect, test } from 'vitest';
import type { AdamParams, Datum, LossConfig, LossFn, SampleRequest } from '../src/index.js';
import { bench, failureOf, imitation, training } from './support.js';

type Engine = 'hosted' | 'tx' | 'tx-0.3';

const rl = (engine: Engine, changes: Record<string, Datum['lossInputs'][string]> = {}): Datum => ({
  modelInput: [1, 2],
  lossInputs: {
    target_tokens: [2, 3],
    logprobs: [0, -1],
    advantages: [0, 1],
    ...(engine === 'hosted' ? {} : { weights: [0, 1] }),
    ...changes,
  },
});

describe('data', () => {
  test.each<[string, Engine, LossFn, readonly Datum[], LossConfig | undefined, string, RegExp]>([
    ['no datum', 'tx', 'cross_entropy', [], undefined, 'INPUT_INVALID', /at least one/],
    [
      'an empty datum',
      'tx',
      'cross_entropy',
      [imitation([1])],
      undefined,
      'INPUT_INVALID',
      /modelInput of datum 0 is empty/,
    ],
    [
      'unequal lengths',
      'tx',
      'cross_entropy',
      [imitation([1, 2, 3], [1])],
      undefined,
      'INPUT_INVALID',
      /weights of datum 0 has length 1, modelInput 2/,
    ],
    [
      'NaN',
      'hosted',
      'ppo',
      [rl('hosted', { advantages: [0, Number.NaN] })],
      undefined,
      'INPUT_INVALID',
      /advantages of datum 0 has NaN at position 1/,
    ],
    [
      'infinity',
      'hosted',
      'ppo',
      [rl('hosted', { logprobs: [0, -Infinity] })],
      undefined,
      'INPUT_INVALID',
      /-Infinity/,
    ],
    [
      'a number beyond float32',
      'hosted',
      'ppo',
      [rl('hosted', { advantages: [0, 1e39] })],
      undefined,
      'INPUT_INVALID',
      /finite float32/,
    ],
    [
      'a token beyond the vocabulary',
      'hosted',
      'cross_entropy',
      [imitation([1, 16])],
      undefined,
      'INPUT_INVALID',
      /16 at position 0.*0 to 15/,
    ],
    [
      'a fraction of a token',
      'hosted',
      'cross_entropy',
      [imitation([1.5, 1])],
      undefined,
      'INPUT_INVALID',
      /1.5/,
    ],
    ['a negative token', 'hosted', 'cross_entropy', [imitation([-1, 1])], undefined, 'INPUT_INVALID', /-1/],
    [
      'a missing input',
      'hosted',
      'ppo',
      [imitation([1, 2])],
      undefined,
      'INPUT_INVALID',
      /needs "logprobs", which datum 0 lacks/,
    ],
    ['no weights on tx', 'tx', 'ppo', [rl('hosted')], undefined, 'INPUT_INVALID', /needs "weights"/],
    ['weights on hosted', 'hosted', 'ppo', [rl('tx')], undefined, 'UNSUPPORTED', /takes no "weights"/],
    [
      'a mask',
      'hosted',
      'ppo',
      [rl('hosted', { mask: [0, 1] })],
      undefined,
      'UNSUPPORTED',
      /takes no "mask"/,
    ],
    ['a mask on tx', 'tx', 'ppo', [rl('tx', { mask: [0, 1] })], undefined, 'UNSUPPORTED', /takes no "mask"/],
    [
      'weights that sum to 0 on tx',
      'tx',
      'ppo',
      [rl('tx', { weights: [0, 0] })],
      undefined,
      'INPUT_INVALID',
      /sum to 0/,
    ],
    [
      'weights that sum below 0 on tx',
      'tx',
      'cross_entropy',
      [imitation([1, 2, 3], [1, -2])],
      undefined,
      'INPUT_INVALID',
      /sum to -1/,
    ],
    ['dro on tx', 'tx', 'dro', [rl('tx')], { beta: 0.1 }, 'UNSUPPORTED', /no loss "dro"/],
    ['cispo on the old tx', 'tx-0.3', 'cispo', [rl('tx')], undefined, 'UNSUPPORTED', /no loss "cispo"/],
    [
      'a config key of another loss',
      'hosted',
      'importance_sampling',
      [rl('hosted')],
      { beta: 1 },
      'UNSUPPORTED',
      /takes no "beta"/,
    ],
    [
      'clip bounds that the old tx ignores',
      'tx-0.3',
      'ppo',
      [rl('tx')],
      { clip_high_threshold: 1.3 },
      'UNSUPPORTED',
      /fixed at 1.2/,
    ],
    [
      'a config that is no number',
      'hosted',
      'dro',
      [rl('hosted')],
      { beta: Number.NaN },
      'INPUT_INVALID',
      /beta of dro is NaN/,
    ],
  ])('%s', async (_name, engine, lossFn, data, config, code, message) => {
    const { server, model } = await training({ engine });
    const failure = await failureOf(model.forwardBackward(data, lossFn, config));
    expect(failure).toMatchObject({ code });
    expect(failure.message).toMatch(message);
    expect(server.to('/forward_backward')).toEqual([]);
  });

  test('what an engine takes is sent: fixed bounds at their own values, negative weights where losses are summed', async () => {
    const old = await training({ engine: 'tx-0.3' });
    await old.model.forwardBackward([rl('tx')], 'ppo', { clip_low_threshold: 0.8, clip_high_threshold: 1.2 });
    const hosted = await training();
    await hosted.model.forwardBackward([imitation([1, 2, 3], [-1, 0.5])], 'cross_entropy');
    await hosted.model.forwardBackward([rl('hosted')], 'dro', { beta: 0.05 });
  });
});

describe('optimizer settings', () => {
  test.each<[AdamParams, Engine, string]>([
    [{ learningRate: Number.NaN }, 'hosted', 'INPUT_INVALID'],
    [{ learningRate: -1 }, 'hosted', 'INPUT_INVALID'],
    [{ learningRate: 1, beta1: 1 }, 'hosted', 'INPUT_INVALID'],
    [{ learningRate: 1, beta2: -0.1 }, 'hosted', 'INPUT_INVALID'],
    [{ learningRate: 1, eps: 0 }, 'hosted', 'INPUT_INVALID'],
    [{ learningRate: 1, weightDecay: Number.POSITIVE_INFINITY }, 'hosted', 'INPUT_INVALID'],
    [{ learningRate: 1, gradClipNorm: 1 }, 'tx', 'UNSUPPORTED'],
  ])('%j on %s', async (adam, engine, code) => {
    const { server, model } = await training({ engine });
    expect(await failureOf(model.optimStep(adam))).toMatchObject({ code });
    expect(server.to('/optim_step')).toEqual([]);
  });

  test('are sent with the protocol’s defaults, and without what is off', async () => {
    const { server, model } = await training();
    await model.optimStep({ learningRate: 0 });
    await model.optimStep({ learningRate: 1e-4, beta1: 0.8, weightDecay: 0.1, gradClipNorm: 2 });
    expect(server.to('/optim_step').map(({ body }) => body?.['adam_params'])).toEqual([
      { learning_rate: 0, beta1: 0.9, beta2: 0.95, eps: 1e-12 },
      { learning_rate: 1e-4, beta1: 0.8, beta2: 0.95, eps: 1e-12, weight_decay: 0.1, grad_clip_norm: 2 },
    ]);
  });
});

describe('a model', () => {
  test.each([
    [{ rank: 0 }, 'tx'],
    [{ rank: 1.5 }, 'tx'],
    [{ rank: 24 }, 'hosted'],
    [{ seed: 0.5 }, 'tx'],
  ] as const)('with LoRA %j on %s', async (lora, engine) => {
    const { server, service } = await bench({ engine });
    const call = service.createTrainingClient({ baseModel: 'fake/bigram', lora });
    expect(await failureOf(call)).toMatchObject({ code: 'INPUT_INVALID' });
    expect(server.to('/create_model')).toEqual([]);
  });

  test('with a rank that is no power of two is fine on tx', async () => {
    const { service } = await bench({ engine: 'tx' });
    await service.createTrainingClient({ baseModel: 'fake/bigram', lora: { rank: 24 } });
  });
});

describe('a sample', () => {
  const params = { maxTokens: 1 };
  test.each<[string, readonly number[], object, Engine, string]>([
    ['an empty prompt', [], { params }, 'hosted', 'INPUT_INVALID'],
    ['a token beyond the vocabulary', [16], { params }, 'hosted', 'INPUT_INVALID'],
    ['no maxTokens', [1], { params: {} }, 'tx', 'INPUT_INVALID'],
    ['maxTokens 0', [1], { params: { maxTokens: 0 } }, 'tx', 'INPUT_INVALID'],
    ['numSamples 0', [1], { params, numSamples: 0 }, 'hosted', 'INPUT_INVALID'],
    ['temperature below 0', [1], { params: { ...params, temperature: -1 } }, 'hosted', 'INPUT_INVALID'],
    ['top-p 0', [1], { params: { ...params, topP: 0 } }, 'hosted', 'INPUT_INVALID'],
    ['top-k 0', [1], { params: { ...params, topK: 0 } }, 'hosted', 'INPUT_INVALID'],
    ['a seed that is no integer', [1], { params: { ...params, seed: 0.5 } }, 'hosted', 'INPUT_INVALID'],
    ['stop as a text', [1], { params: { ...params, stop: 'x' } }, 'tx', 'INPUT_INVALID'],
    ['stop as ids and texts', [1], { params: { ...params, stop: [1, 'x'] } }, 'tx', 'INPUT_INVALID'],
    ['top-k prompt log-probs on tx', [1], { params, topkPromptLogprobs: 2 }, 'tx', 'UNSUPPORTED'],
  ])('%s', async (_name, prompt, request, engine, code) => {
    const { server, service } = await bench({ engine });
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram', vocabSize: 16 });
    expect(await failureOf(sampler.sample(prompt, request as SampleRequest))).toMatchObject({ code });
    expect(server.to('/asample')).toEqual([]);
  });
});

describe('a checkpoint', () => {
  test.each(['', 'a b', 'a/b', '../a', 'ä', 'x'.repeat(256)])('cannot be named %j', async (name) => {
    const { server, model } = await training();
    expect(await failureOf(model.saveState(name))).toMatchObject({ code: 'INPUT_INVALID' });
    expect(await failureOf(model.saveWeightsForSampler(name))).toMatchObject({ code: 'INPUT_INVALID' });
    expect(server.to('/save_weights')).toEqual([]);
  });

  test('has no lifetime on tx, which would ignore it', async () => {
    const { model } = await training({ engine: 'tx' });
    expect(await failureOf(model.saveState('a', { ttlSeconds: 60 }))).toMatchObject({ code: 'UNSUPPORTED' });
  });

  test('that lives as long as the session takes no lifetime', async () => {
    const { model } = await training();
    const save = model.saveWeightsForSampler(undefined, { ttlSeconds: 60 });
    expect(await failureOf(save)).toMatchObject({ code: 'UNSUPPORTED' });
  });

  test('cannot be loaded without its optimizer on the old tx, which would load it', async () => {
    const { model } = await training({ engine: 'tx-0.3' });
    const load = model.loadState('tinker://x/weights/a', { optimizer: false });
    expect(await failureOf(load)).toMatchObject({ code: 'UNSUPPORTED' });
  });
});
