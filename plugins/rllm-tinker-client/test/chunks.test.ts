import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkDatums } from '../src/training/chunk-datums.js';
import { combineResults } from '../src/training/combine-results.js';
import { failureOf, imitation, training } from './support.js';

describe('a call of many datums', () => {
  test('is sent in requests of at most chunkDatums, each under its own number, and comes back as one', async () => {
    const { server, model } = await training({}, { limits: { chunkDatums: 3 } });
    const data = Array.from({ length: 8 }, (_, k) => imitation([k, k + 1, k + 2]));
    const forward = model.forwardBackward(data, 'cross_entropy');
    const step = model.optimStep({ learningRate: 0.1 });
    const { outputs, metrics } = await forward;
    await step;
    expect(server.to('/forward_backward')).toHaveLength(3);
    expect(server.engine.violations).toEqual([]);
    const whole = await training();
    const once = await whole.model.forwardBackward(data, 'cross_entropy');
    expect(outputs).toEqual(once.outputs);
    expect(metrics['loss:sum']).toBeCloseTo(once.metrics['loss:sum']!, 10);
  });

  test('is sent in requests of about chunkBytes', async () => {
    const { server, model } = await training({ engine: 'tx' }, { limits: { chunkBytes: 100 } });
    // 30 bytes per position by the estimate of JSON.
    await model.forward(
      Array.from({ length: 4 }, () => imitation([1, 2])),
      'cross_entropy',
    );
    expect(server.to('/forward')).toHaveLength(2);
  });

  test('that arrives in part leaves nothing that may follow', async () => {
    const { server, model } = await training({}, { limits: { chunkDatums: 1 } });
    server.script('/forward_backward', 'pass', { status: 422, body: { detail: 'no' } });
    const forward = model.forwardBackward([imitation([1, 2]), imitation([2, 3])], 'cross_entropy');
    expect(await failureOf(forward)).toMatchObject({ code: 'REJECTED' });
    const failure = await failureOf(model.optimStep({ learningRate: 0.1 }));
    expect(failure).toMatchObject({ code: 'NOT_SUBMITTED' });
    expect(failure.message).toMatch(/arrived in part.*checkpoint/);
    expect(server.to('/optim_step')).toEqual([]);
  });

  test('of which one part fails is an error, and the other part is polled for no longer', async () => {
    const { server, model } = await training({}, { limits: { chunkDatums: 1 } });
    server.script('/retrieve_future', 'hang', {
      status: 200,
      body: { error: 'no room', category: 'server' },
    });
    const forward = model.forwardBackward([imitation([1, 2]), imitation([2, 3])], 'cross_entropy');
    expect(await failureOf(forward)).toMatchObject({ code: 'OPERATION_FAILED' });
  });
});

test('chunks keep every datum in its order, within the limits unless a datum alone is larger', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 40 });
  fc.assert(
    fc.property(
      lengths,
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 50, max: 1000 }),
      (sizes, most, bytes) => {
        const data = sizes.map((size) => imitation(Array.from({ length: size + 1 }, () => 1)));
        const chunks = chunkDatums(data, 'json', most, bytes);
        expect(chunks.flat()).toEqual(data);
        for (const chunk of chunks) {
          const total = chunk.reduce((sum, { modelInput }) => sum + 30 * modelInput.length, 0);
          expect(chunk.length).toBeGreaterThan(0);
          expect(chunk.length).toBeLessThanOrEqual(most);
          if (chunk.length > 1) expect(total).toBeLessThanOrEqual(bytes);
        }
      },
    ),
  );
});

describe('metrics of several requests', () => {
  const part = (size: number, metrics: Record<string, number>) => ({
    outputs: Array.from({ length: size }, () => ({ logprobs: Float32Array.of(0) })),
    metrics,
  });

  test.each([
    ['loss:sum', [1, 2], 3],
    ['x:min', [1, 2], 1],
    ['x:max', [1, 2], 2],
    ['x:mean', [1, 2], 1.25],
    // 2 − (3·1 + 1·2)/4
    ['x:slack', [1, 2], 0.75],
    ['plain', [1, 2], 1.25],
    ['a:b:sum', [1, 2], 3],
    ['x:hash_unordered', [4294967295, 2], 1],
  ])('%s of %j is %d', (name, [first, second], expected) => {
    const { metrics } = combineResults([part(3, { [name]: first! }), part(1, { [name]: second! })]);
    expect(metrics).toEqual({ [name]: expected });
  });

  test('unique keeps them all', () => {
    const parts = [7, 8, 9].map((value) => part(1, { 'id:unique': value }));
    expect(combineResults(parts).metrics).toEqual({ 'id:unique': 7, 'id:unique_1': 8, 'id:unique_2': 9 });
  });

  test('names are those of the first, and values of those that have them', () => {
    const { metrics } = combineResults([part(1, { 'a:sum': 1 }), part(1, { 'b:sum': 2 })]);
    expect(metrics).toEqual({ 'a:sum': 1 });
  });

  test('of one request are untouched', () => {
    const only = part(1, { 'a:mean': 0.1 });
    expect(combineResults([only])).toBe(only);
  });
});
