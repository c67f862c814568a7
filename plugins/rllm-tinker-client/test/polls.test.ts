import { describe, expect, test } from 'vitest';
import type { FakeTurn } from '../src/testing/index.js';
import { failureOf, imitation, training } from './support.js';

const data = [imitation([1, 2, 3])];
const POLL = '/retrieve_future';

describe('while a result is not ready', () => {
  const again: FakeTurn = {
    status: 200,
    body: { type: 'try_again', request_id: '2', queue_state: 'paused_capacity', queue_state_reason: 'full' },
  };

  test.each<[string, FakeTurn]>([
    ['try_again', again],
    ['408', { status: 408, body: { detail: 'Timeout waiting for result' } }],
    ['408 with a queue state', { status: 408, body: { queue_state: 'active' } }],
  ])('%s is asked again at once', async (_name, turn) => {
    const { server, model, clock } = await training();
    server.script(POLL, turn, turn);
    const { outputs } = await model.forward(data, 'cross_entropy');
    expect(outputs).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
    expect(
      server
        .to(POLL)
        .slice(-3)
        .map(({ headers }) => headers['x-tinker-request-iteration']),
    ).toEqual(['0', '1', '2']);
  });

  test.each([
    ['hosted', []],
    ['tx', [75]],
  ] as const)('on %s the first poll comes when its profile says', async (engine, sleeps) => {
    const { server, model, clock } = await training({ engine });
    const before = clock.sleeps.length;
    server.script(POLL, again);
    await model.forward(data, 'cross_entropy');
    expect(clock.sleeps.slice(before)).toEqual(sleeps);
  });

  test('an engine that does not hold the poll open is not asked in a tight loop', async () => {
    const { server, model, clock } = await training();
    server.script(POLL, ...Array.from({ length: 10 }, () => again));
    await model.forward(data, 'cross_entropy');
    expect(clock.sleeps.length).toBeGreaterThan(0);
  });

  test('the queue state reaches the listener each time and the log once a minute', async () => {
    const states: unknown[] = [];
    const { server, model, log } = await training({}, { onQueueState: (event) => states.push(event) });
    server.script(POLL, again, again, again);
    await model.forward(data, 'cross_entropy');
    expect(states).toHaveLength(3);
    expect(states[0]).toMatchObject({ state: 'paused_capacity', reason: 'full' });
    expect(log.filter((line) => line.includes('paused_capacity'))).toHaveLength(1);
  });

  test('a poll that the engine holds longer than pollTimeoutMs is given up and asked anew', async () => {
    const { server, model, clock } = await training();
    server.script(POLL, 'hang');
    const result = model.forward(data, 'cross_entropy');
    await result.submitted;
    await expect.poll(() => server.to(POLL).length).toBe(2);
    clock.advance(45_000);
    expect((await result).outputs).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
  });

  test('a result that takes longer than resultTimeoutMs is an error', async () => {
    const { server, model, clock } = await training({}, { limits: { resultTimeoutMs: 60_000 } });
    server.script(POLL, 'hang', 'hang');
    const result = model.forward(data, 'cross_entropy');
    for (const polls of [2, 3]) {
      await expect.poll(() => server.to(POLL).length).toBe(polls);
      clock.advance(45_000);
    }
    expect(await failureOf(result)).toMatchObject({ code: 'TIMED_OUT', retryable: true });
  });
});

describe('a large result', () => {
  const large = (bytes: number): FakeTurn => ({
    status: 200,
    body: { status: 'complete_metadata', response_payload_size: bytes },
  });

  test('is asked for whole after its announcement', async () => {
    const { server, model } = await training();
    server.script(POLL, large(1000));
    expect((await model.forward(data, 'cross_entropy')).outputs).toHaveLength(1);
    expect(
      server
        .to(POLL)
        .slice(-2)
        .map(({ body }) => body?.['allow_metadata_only']),
    ).toEqual([true, false]);
  });

  test('waits until the results on their way leave room for it', async () => {
    const { server, service, model, clock } = await training({}, { limits: { responseBytes: 100 } });
    const other = await service.createTrainingClient({ baseModel: 'fake/bigram' });
    const whole = (): number =>
      server.to(POLL).filter(({ body }) => body?.['allow_metadata_only'] === false).length;
    server.script(POLL, large(60), large(60), 'hang');
    const first = model.forward(data, 'cross_entropy');
    const second = other.forward(data, 'cross_entropy');
    await expect.poll(whole).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(whole()).toBe(1);
    // The poll that hangs is given up, and asked anew with the room that it has.
    clock.advance(45_000);
    await Promise.all([first, second]);
    expect(whole()).toBe(3);
  });

  test('that is larger than all room comes alone', async () => {
    const { server, model } = await training({}, { limits: { responseBytes: 100 } });
    server.script(POLL, large(1000));
    expect((await model.forward(data, 'cross_entropy')).outputs).toHaveLength(1);
  });
});

describe('an operation that failed', () => {
  test.each<[string, FakeTurn, 'hosted' | 'tx', object]>([
    [
      'by an error with status 200',
      { status: 200, body: { error: 'no room', category: 'server' } },
      'hosted',
      { category: 'server', retryable: true },
    ],
    [
      'by an error without a category',
      { status: 200, body: { error: 'no room' } },
      'hosted',
      { category: 'unknown', retryable: false },
    ],
    [
      'by a detail with status 400',
      { status: 400, body: { detail: 'no room' } },
      'tx',
      { category: 'user', status: 400 },
    ],
    [
      'by a detail with status 500 on tx',
      { status: 500, body: { detail: 'no room' } },
      'tx',
      { category: 'server', status: 500 },
    ],
  ])('%s', async (_name, turn, engine, expected) => {
    const { server, model } = await training({ engine });
    server.script(POLL, turn);
    const failure = await failureOf(model.forward(data, 'cross_entropy'));
    expect(failure).toMatchObject({ code: 'OPERATION_FAILED', ...expected });
    expect(failure.requestId).toBe('2');
    expect(failure.message).toContain('no room');
  });

  test('with status 408 on the hosted service is no failure, and 500 there is trouble that passes', async () => {
    const { server, model, clock } = await training();
    server.script(POLL, { status: 500, body: { detail: 'oops' } });
    expect((await model.forward(data, 'cross_entropy')).outputs).toHaveLength(1);
    expect(clock.sleeps).toEqual([1000]);
  });
});

describe('a promise that the engine lost', () => {
  test('is submitted again: same body, same sequence number', async () => {
    const { server, model } = await training();
    server.script(POLL, { status: 410 });
    await model.forwardBackward(data, 'cross_entropy');
    const [first, second] = server.to('/forward_backward');
    expect(Buffer.from(second!.bytes)).toEqual(Buffer.from(first!.bytes));
    expect(second!.headers['x-idempotency-key']).not.toBe(first!.headers['x-idempotency-key']);
    expect(server.engine.violations).toEqual([]);
  });

  test('again and again is an error', async () => {
    const { server, model } = await training();
    server.script(POLL, ...Array.from({ length: 4 }, () => ({ status: 410 })));
    expect(await failureOf(model.optimStep({ learningRate: 1 }))).toMatchObject({
      code: 'PROMISE_LOST',
      status: 410,
    });
    expect(server.to('/optim_step')).toHaveLength(4);
  });
});

describe('trouble on a poll', () => {
  test.each<[string, FakeTurn]>([
    ['429', { status: 429 }],
    ['502', { status: 502, body: 'bad gateway' }],
    ['a reset connection', 'reset'],
  ])('%s: waits twice as long each time and asks again', async (_name, turn) => {
    const { server, model, clock } = await training();
    server.script(POLL, turn, turn, turn, turn, turn, turn, turn);
    await model.forward(data, 'cross_entropy');
    expect(clock.sleeps).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(server.to('/forward_backward')).toHaveLength(1);
  });

  test('the jitter takes up to a quarter away', async () => {
    const { server, model, clock } = await training({}, { random: () => 0.8 });
    server.script(POLL, { status: 503 });
    await model.forward(data, 'cross_entropy');
    expect(clock.sleeps).toEqual([800]);
  });

  test('that lasts longer than retryMs is an error, except "too many requests"', async () => {
    const { server, model } = await training();
    server.script(POLL, ...Array.from({ length: 30 }, () => ({ status: 429 })));
    await model.forward(data, 'cross_entropy');
    server.script(POLL, ...Array.from({ length: 30 }, () => 'reset' as const));
    expect(await failureOf(model.forward(data, 'cross_entropy'))).toMatchObject({
      code: 'UNREACHABLE',
      retryable: true,
    });
  });

  test('a 400 without a body is a proxy: asked again three times', async () => {
    const { server, model } = await training();
    server.script(POLL, { status: 400 }, { status: 400 }, { status: 400 });
    await model.forward(data, 'cross_entropy');
    server.script(POLL, ...Array.from({ length: 4 }, () => ({ status: 400 })));
    expect(await failureOf(model.forward(data, 'cross_entropy'))).toMatchObject({
      code: 'REJECTED',
      status: 400,
    });
  });

  test.each([
    [401, 'UNAUTHORIZED'],
    [404, 'NOT_FOUND'],
    [422, 'REJECTED'],
  ])('%i is final', async (status, code) => {
    const { server, model, clock } = await training();
    server.script(POLL, { status, body: { detail: 'no' } });
    expect(await failureOf(model.forward(data, 'cross_entropy'))).toMatchObject({
      code,
      status,
      requestId: '2',
    });
    expect(clock.sleeps).toEqual([]);
  });
});
