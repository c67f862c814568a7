import { defaultDevice, init, numpy as np, tree } from '@jax-js/jax';
import { beforeAll, expect, test } from 'vitest';
import { createEmbedding } from '../../../src/backend/local/embedding.js';
import { initializeWeights } from '../../../src/backend/local/initial-weights.js';
import { type ModelShape, parameterCount } from '../../../src/backend/local/model-shape.js';
import { logSoftmax } from '../../../src/backend/local/sample-token.js';
import { type SampleRequest, type SampleResult, Sampler } from '../../../src/backend/local/sampler.js';
import { loadWeights, treeLogits } from '../../../src/backend/local/transformer.js';
import { stream } from '../../../src/random.js';

const SHAPE: ModelShape = {
  vocabularySize: 13,
  dModel: 16,
  nLayers: 2,
  nHeads: 4,
  dFf: 40,
  contextLength: 40,
};

beforeAll(async () => {
  await init('wasm');
  defaultDevice('wasm');
});

function someWeights(): Float32Array<ArrayBuffer> {
  const weights = new Float32Array(parameterCount(SHAPE));
  initializeWeights(SHAPE, 3, weights);
  const random = stream(3, 'perturbation');
  return weights.map((value) => value + 0.2 * random.normal());
}

function letters(ids: readonly number[]): string {
  return ids.map((id) => String.fromCharCode(97 + id)).join('');
}

function newSampler(): Sampler {
  const sampler = new Sampler({
    shape: SHAPE,
    seed: 1,
    endOfTurn: 12,
    decodeText: letters,
  });
  const flat = someWeights();
  sampler.useWeights(loadWeights(SHAPE, flat), flat, 7);
  return sampler;
}

function request(id: number, fields: Partial<SampleRequest> = {}): SampleRequest {
  const random = stream(id, 'prompt');
  const prompt = Array.from({ length: 1 + random.int(25) }, () => random.int(12));
  return {
    id,
    prompt,
    maxTokens: 8,
    temperature: 1,
    topP: 1,
    stop: [],
    path: `task ${id}`,
    ...fields,
  };
}

function run(sampler: Sampler): Map<number, SampleResult> {
  const results = new Map<number, SampleResult>();
  while (!sampler.isIdle) for (const result of sampler.advance()) results.set(result.id, result);
  return results;
}

/** Log-probs of a row by the full forward pass, as training computes them. */
function fullLogprobs(tokens: readonly number[]): Float64Array[] {
  const flat = someWeights();
  const length = tokens.length;
  const embedded = new Float32Array(length * SHAPE.dModel);
  createEmbedding(SHAPE).lookUp(
    flat,
    Int32Array.from(tokens),
    Int32Array.from(tokens, (_, i) => i),
    embedded,
  );
  const weights = loadWeights(SHAPE, flat);
  const x = np.array(embedded, { shape: [length, SHAPE.dModel] });
  const ends = np.array(new Int32Array(length).fill(length), { shape: [1, length], dtype: np.int32 });
  const logits = treeLogits(SHAPE, tree.ref(weights), x, ends).dataSync();
  const V = SHAPE.vocabularySize;
  return tokens.map((_, t) => logSoftmax(logits.subarray(t * V, (t + 1) * V)));
}

test('cached decoding gives the log-probs of the full forward pass', () => {
  const sampler = newSampler();
  const requests = Array.from({ length: 20 }, (_, id) => request(id));
  for (const one of requests) sampler.add(one);
  const results = run(sampler);
  for (const { id, prompt } of requests) {
    const { tokens, logprobs } = results.get(id) as SampleResult;
    const full = fullLogprobs([...prompt, ...tokens].slice(0, -1));
    for (const [i, token] of tokens.entries()) {
      expect(logprobs[i]).toBeCloseTo(full[prompt.length - 1 + i]?.[token] as number, 5);
    }
  }
});

test('a completion is the same to the last bit whatever is sampled beside it, before it, and in which order', () => {
  const requests = Array.from({ length: 90 }, (_, id) => request(id));
  const together = newSampler();
  for (const one of requests) together.add(one);
  const expected = run(together);

  const reversed = newSampler();
  for (const one of [...requests].reverse()) reversed.add(one);
  expect([...run(reversed)].sort(([a], [b]) => a - b)).toEqual([...expected].sort(([a], [b]) => a - b));

  for (const one of requests.slice(0, 12)) {
    const alone = newSampler();
    alone.add(one);
    expect(run(alone).get(one.id)).toEqual(expected.get(one.id));
  }
});

test('a prompt that extends an earlier sequence reuses it and gives the same completion', () => {
  const sampler = newSampler();
  sampler.add(request(0, { prompt: [1, 2, 3], maxTokens: 4 }));
  const first = run(sampler).get(0) as SampleResult;
  const longer = request(1, { prompt: [1, 2, 3, ...first.tokens, 5, 6], temperature: 0 });
  sampler.add(longer);
  const fresh = newSampler();
  fresh.add(longer);
  expect(run(sampler).get(1)).toEqual(run(fresh).get(1));
});

test('equal requests give equal completions, other identities others', () => {
  const sampler = newSampler();
  const prompt = [4, 4, 4];
  sampler.add(request(0, { prompt, path: 'a' }));
  sampler.add(request(1, { prompt, path: 'a' }));
  for (let id = 2; id < 10; id++) sampler.add(request(id, { prompt, path: `a ${id}` }));
  const results = run(sampler);
  const tokensOf = (id: number): readonly number[] | undefined => results.get(id)?.tokens;
  expect(tokensOf(1)).toEqual(tokensOf(0));
  expect(new Set([0, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => tokensOf(id)?.join())).size).toBeGreaterThan(5);
});

test('temperature 0 takes the likeliest token at each place', () => {
  const sampler = newSampler();
  sampler.add(request(0, { prompt: [1, 2], temperature: 0, maxTokens: 5 }));
  const { tokens } = run(sampler).get(0) as SampleResult;
  const full = fullLogprobs([1, 2, ...tokens].slice(0, -1));
  for (const [i, token] of tokens.entries()) {
    const logprobs = full[1 + i] as Float64Array;
    expect(logprobs[token]).toBe(Math.max(...logprobs));
  }
});

test('a completion ends by length, by the end-of-turn token, by a stop text, or when it is aborted', () => {
  const sampler = newSampler();
  for (let id = 0; id < 60; id++) sampler.add(request(id, { maxTokens: 6 }));
  const unstopped = run(sampler).get(0) as SampleResult;
  for (let id = 0; id < 60; id++) sampler.add(request(id, { maxTokens: 6 }));
  const [, second = 0, third = 0] = unstopped.tokens;
  sampler.add(request(100, { ...request(0), id: 100, maxTokens: 6, stop: ['zz', letters([second, third])] }));
  sampler.add(request(101));
  sampler.abort(101);
  const results = run(sampler);
  expect(results.get(101)).toMatchObject({ finishReason: 'abort', tokens: [] });
  expect(results.get(100)).toMatchObject({ finishReason: 'stop', tokens: unstopped.tokens.slice(0, 3) });
  for (let id = 0; id < 60; id++) {
    const { tokens, finishReason, weightVersion } = results.get(id) as SampleResult;
    expect(weightVersion).toBe(7);
    expect(finishReason).toBe(tokens.at(-1) === 12 ? 'stop' : 'length');
    expect(tokens.slice(0, -1)).not.toContain(12);
    expect(finishReason === 'stop' || tokens.length === 6).toBe(true);
  }
});

test('new weights take effect at once, for running completions too', () => {
  const sampler = newSampler();
  sampler.add(request(0, { prompt: [1, 2, 3], maxTokens: 20, temperature: 0 }));
  for (let i = 0; i < 6; i++) sampler.advance();
  const flat = someWeights().map((value) => -value);
  sampler.useWeights(loadWeights(SHAPE, flat), flat, 8);
  const moved = run(sampler).get(0) as SampleResult;
  const old = newSampler();
  old.add(request(0, { prompt: [1, 2, 3], maxTokens: 20, temperature: 0 }));
  const unmoved = run(old).get(0) as SampleResult;
  expect(moved.weightVersion).toBe(7);
  expect(moved.tokens.slice(0, 3)).toEqual(unmoved.tokens.slice(0, 3));
  expect(moved.tokens).not.toEqual(unmoved.tokens);
});
