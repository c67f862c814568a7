import { describe, expect, test } from 'vitest';
import type { SampleRequest } from '../src/index.js';
import { bench, failureOf, imitation, training } from './support.js';

const SAMPLE = '/asample';
const one: SampleRequest = { params: { maxTokens: 4 } };

describe('what is sampled', () => {
  test.each(['hosted', 'tx', 'tx-0.3'] as const)(
    'on %s, its log-probs are those of forward and of the prompt',
    async (engine) => {
      const { model } = await training({ engine });
      await model.forwardBackward([imitation([1, 5, 9, 2])], 'cross_entropy');
      await model.optimStep({ learningRate: 0.3 });
      const sampler = await model.saveWeightsAndGetSamplingClient();
      const prompt = [3, 1];
      const { sequences, promptLogprobs } = await sampler.sample(prompt, {
        numSamples: 3,
        params: { maxTokens: 5, seed: 7 },
        promptLogprobs: true,
      });
      expect(sequences).toHaveLength(3);
      for (const { tokens, logprobs, stopReason } of sequences) {
        expect(stopReason).toBe('length');
        const full = [...prompt, ...tokens];
        const { outputs } = await model.forward([imitation(full)], 'cross_entropy');
        const again = await sampler.computeLogprobs(full);
        expect(again[0]).toBeNull();
        expect(again.slice(1)).toEqual(Array.from(outputs[0]!.logprobs));
        expect(Array.from(outputs[0]!.logprobs)).toEqual([promptLogprobs?.[1], ...logprobs]);
      }
    },
  );

  test('a stop token ends a sample and belongs to it', async () => {
    const { service } = await bench();
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    const { sequences } = await sampler.sample([1], {
      numSamples: 20,
      params: { maxTokens: 50, seed: 1, stop: [4, 5, 6, 7] },
    });
    for (const { tokens, stopReason } of sequences) {
      expect(stopReason).toBe('stop');
      expect([4, 5, 6, 7]).toContain(tokens.at(-1));
      expect(Array.from(tokens.slice(0, -1)).filter((token) => token >= 4 && token <= 7)).toEqual([]);
    }
  });

  test('the likeliest tokens of the prompt come likeliest first', async () => {
    const { service } = await bench();
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    const { topkPromptLogprobs } = await sampler.sample([1, 2], { ...one, topkPromptLogprobs: 3 });
    expect(topkPromptLogprobs?.[0]).toBeNull();
    const row = topkPromptLogprobs?.[1]?.map(({ logprob }) => logprob) ?? [];
    expect(row).toHaveLength(3);
    expect([...row].sort((a, b) => b - a)).toEqual(row);
  });

  test('JSON and protobuf give the same numbers', async () => {
    const results = await Promise.all(
      (['json', 'protobuf'] as const).map(async (wire) => {
        const { service, server } = await bench({}, { wire });
        const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
        const request = {
          params: { maxTokens: 6, seed: 3 },
          numSamples: 2,
          promptLogprobs: true,
          topkPromptLogprobs: 2,
        };
        const { sequences, ...prompt } = await sampler.sample([1, 2, 3], request);
        expect(String(server.to('/retrieve_future')[0]?.headers['accept']).includes('protobuf')).toBe(
          wire === 'protobuf',
        );
        return {
          ...prompt,
          sequences: sequences.map(({ tokens, logprobs, stopReason }) => [
            [...tokens],
            [...logprobs],
            stopReason,
          ]),
        };
      }),
    );
    expect(results[0]).toEqual(results[1]);
  });

  test('log-probs in JSON are single precision where all of them are', async () => {
    const { service, server } = await bench({ engine: 'tx' });
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    const logprobs = Float32Array.of(-0.1, -2.5, -1e-7);
    const sequence = { stop_reason: 'stop', tokens: [1, 2, 3], logprobs: [...logprobs] };
    server.script('/retrieve_future', { status: 200, body: { sequences: [sequence] } });
    expect((await sampler.sample([1], one)).sequences[0]).toEqual({
      tokens: Int32Array.of(1, 2, 3),
      logprobs,
      stopReason: 'stop',
    });
  });

  test('doubles that JSON brings keep all their digits', async () => {
    const { service, server } = await bench({ engine: 'tx' });
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    const logprob = -0.1 - 0.2;
    server.script('/retrieve_future', {
      status: 200,
      body: { sequences: [{ stop_reason: 'stop', tokens: [1], logprobs: [logprob] }], prompt_logprobs: null },
    });
    expect((await sampler.sample([1], one)).sequences[0]?.logprobs[0]).toBe(logprob);
  });
});

describe('the requests', () => {
  test('number themselves from 0 per sampling session, say every default, and ask for back-pressure', async () => {
    const { service, server } = await bench();
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    await sampler.sample(Int32Array.of(1, 2), one);
    await sampler.sample([3], {
      params: { maxTokens: 1, temperature: 0, topK: 5, topP: 0.5, seed: 9, stop: ['a'] },
    });
    const [first, second] = server.to(SAMPLE);
    expect(first?.headers['x-tinker-sampling-backpressure']).toBe('1');
    expect(first?.body).toEqual({
      sampling_session_id: sampler.samplingSessionId,
      seq_id: 0,
      num_samples: 1,
      prompt: { chunks: [{ type: 'encoded_text', tokens: [1, 2] }] },
      sampling_params: { max_tokens: 4, temperature: 1, top_p: 1, top_k: -1 },
      prompt_logprobs: false,
      topk_prompt_logprobs: 0,
      type: 'sample',
    });
    expect(second?.body).toMatchObject({
      seq_id: 1,
      sampling_params: { max_tokens: 1, temperature: 0, top_p: 0.5, top_k: 5, seed: 9, stop: ['a'] },
    });
  });

  test('sampling sessions number themselves from 0 per session, ephemeral saves included', async () => {
    const { service, server, model } = await training();
    await service.samplingClient({ baseModel: 'fake/bigram' });
    await model.saveWeightsForSampler();
    await service.samplingClient({ baseModel: 'fake/bigram' });
    expect(
      server.to('/create_sampling_session').map(({ body }) => body?.['sampling_session_seq_id']),
    ).toEqual([0, 2]);
    expect(server.to('/save_weights_for_sampler')[0]?.body).toMatchObject({
      sampling_session_seq_id: 1,
      seq_id: 1,
    });
  });
});

describe('too many requests', () => {
  test('pause all samplers of the client for a second, then the same number is sent again', async () => {
    const { service, server, clock } = await bench();
    const [a, b] = await Promise.all([
      service.samplingClient({ baseModel: 'fake/bigram' }),
      service.samplingClient({ baseModel: 'fake/bigram' }),
    ]);
    server.script(SAMPLE, { status: 429 });
    await a.sample([1], one);
    expect(clock.sleeps).toEqual([1000]);
    expect(server.to(SAMPLE).map(({ body }) => body?.['seq_id'])).toEqual([0, 0]);
    await b.sample([1], one);
    expect(clock.sleeps).toEqual([1000]);
  });

  test('pause for as long as the engine says', async () => {
    const { service, server, clock } = await bench();
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    server.script(SAMPLE, { status: 429, headers: { 'retry-after': '20' } });
    await sampler.sample([1], one);
    expect(clock.sleeps).toEqual([20_000]);
  });

  test('pause longer after a long prompt', async () => {
    const { service, server, clock } = await bench();
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    server.script(SAMPLE, { status: 429 });
    await sampler.sample(new Int32Array(14_000), one);
    expect(clock.sleeps).toEqual([5000]);
  });

  test('are an error once the engine has taken no sample for resultTimeoutMs, and not before', async () => {
    const limits = { resultTimeoutMs: 60_000, retryMs: 5_000 };
    const { service, server, clock } = await bench({}, { limits });
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    const refusals = (n: number) => Array.from({ length: n }, () => ({ status: 429 }));
    server.script(SAMPLE, ...refusals(50));
    await sampler.sample([1], one);
    expect(clock.sleeps).toHaveLength(50);
    server.script(SAMPLE, ...refusals(61));
    expect(await failureOf(sampler.sample([1], one))).toMatchObject({
      code: 'TIMED_OUT',
      status: 429,
      retryable: true,
      message: expect.stringContaining('resultTimeoutMs = 60000'),
    });
    expect(clock.sleeps).toHaveLength(110);
  });

  test('hold back a second sampler that comes during the pause', async () => {
    const { service, server } = await bench({}, { limits: { concurrentSampleSubmits: 1 } });
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    server.script(SAMPLE, { status: 429 }, { status: 429 }, { status: 429 });
    const results = await Promise.all(Array.from({ length: 5 }, () => sampler.sample([1], one)));
    expect(results).toHaveLength(5);
    expect(server.to(SAMPLE)).toHaveLength(8);
    expect(new Set(server.to(SAMPLE).map(({ body }) => body?.['seq_id'])).size).toBe(5);
  });
});

describe('limits', () => {
  test.each([
    ['submissions on the wire', SAMPLE, { concurrentSampleSubmits: 4 }],
    ['calls that are out', SAMPLE, { concurrentSamples: 4 }],
    ['polls that are open', '/retrieve_future', { concurrentPolls: 4 }],
  ])('%s', async (_name, path, limits) => {
    const { service, server } = await bench({}, { limits });
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    server.script(path, 'hang', 'hang', 'hang', 'hang');
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const held = Array.from({ length: 4 }, () => sampler.sample([1], one, options));
    await expect.poll(() => server.to(path).length).toBe(4);
    const more = Array.from({ length: 8 }, () => sampler.sample([1], one));
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(server.to(path)).toHaveLength(4);
    controller.abort();
    for (const call of held) expect(await failureOf(call)).toMatchObject({ code: 'ABORTED' });
    await Promise.all(more);
    expect(server.to(path)).toHaveLength(12);
    expect(server.mostAtOnce.get(path)).toBeLessThanOrEqual(8);
  });

  test('an aborted call gives its room back', async () => {
    const { service, server } = await bench({}, { limits: { concurrentSamples: 1 } });
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    server.script('/retrieve_future', 'hang');
    const controller = new AbortController();
    const held = sampler.sample([1], one, { signal: controller.signal });
    const waiting = sampler.sample([1], one, { signal: controller.signal });
    const next = sampler.sample([1], one);
    await expect.poll(() => server.to('/retrieve_future').length).toBe(1);
    controller.abort();
    expect(await failureOf(held)).toMatchObject({ code: 'ABORTED' });
    expect(await failureOf(waiting)).toMatchObject({ code: 'ABORTED' });
    expect((await next).sequences).toHaveLength(1);
  });
});

describe('an answer that is not what was asked for', () => {
  const answer = (sequence: object, rest: object = {}) => ({
    status: 200,
    body: { sequences: [{ stop_reason: 'stop', tokens: [1, 2], logprobs: [-1, -2], ...sequence }], ...rest },
  });

  test.each([
    ['a log-prob is null', answer({ logprobs: [-1, null] })],
    ['log-probs are missing', answer({ logprobs: null })],
    ['there are fewer log-probs than tokens', answer({ logprobs: [-1] })],
    ['the prompt’s log-probs are too few', answer({}, { prompt_logprobs: [null] })],
    ['the stop reason is unknown', answer({ stop_reason: 'tired' })],
    ['it is no object', { status: 200, body: [] }],
    ['it is no JSON', { status: 200, body: 'hello' }],
    [
      'it is broken protobuf',
      {
        status: 200,
        headers: { 'content-type': 'application/x-protobuf' },
        body: Uint8Array.of(0x0a, 200, 1),
      },
    ],
  ])('%s', async (_name, turn) => {
    const { service, server } = await bench();
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    server.script('/retrieve_future', turn);
    expect(await failureOf(sampler.sample([1, 2, 3], { ...one, promptLogprobs: true }))).toMatchObject({
      code: 'RESPONSE_INVALID',
    });
  });
});
