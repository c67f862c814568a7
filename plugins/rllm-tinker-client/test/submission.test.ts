import { describe, expect, test } from 'vitest';
import { ServiceClient } from '../src/index.js';
import type { FakeTurn } from '../src/testing/index.js';
import { failureOf, imitation, KEY, training } from './support.js';

const data = [imitation([1, 2, 3])];
const adam = { learningRate: 0.1 };
const FORWARD = '/forward_backward';

describe('the order of a model', () => {
  test('calls get the numbers 1, 2, 3, each is posted once the one before was accepted', async () => {
    const { server, model } = await training({ latencyMs: 5 });
    const calls = [
      model.forward(data, 'cross_entropy'),
      model.forwardBackward(data, 'cross_entropy'),
      model.optimStep(adam),
      model.saveState('a'),
      model.saveWeightsForSampler('a'),
      model.forwardBackward(data, 'cross_entropy'),
    ];
    await Promise.all(calls);
    expect(server.engine.violations).toEqual([]);
    expect([...server.engine.models.values()][0]?.nextSeqId).toBe(7);
    expect(server.mostAtOnce.get(FORWARD)).toBe(1);
  });

  test('a step is in flight as a whole: optim_step is accepted before the result of forward_backward is there', async () => {
    const { server, model, clock } = await training();
    server.script('/retrieve_future', 'hang');
    const forward = model.forwardBackward(data, 'cross_entropy');
    await expect.poll(() => server.to('/retrieve_future').length).toBe(2);
    let isThere = false;
    void forward.then(() => {
      isThere = true;
    });
    const step = model.optimStep(adam);
    await step.submitted;
    await step;
    expect(isThere).toBe(false);
    clock.advance(45_000);
    expect((await forward).outputs).toHaveLength(1);
  });

  test('two models of a session do not wait for each other', async () => {
    const { server, service, model, clock } = await training();
    const other = await service.createTrainingClient({ baseModel: 'fake/bigram' });
    server.script('/optim_step', 'hang');
    const held = model.optimStep(adam);
    await expect.poll(() => server.to('/optim_step').length).toBe(1);
    await other.forwardBackward(data, 'cross_entropy');
    await other.optimStep(adam);
    clock.advance(60_000);
    await held;
    expect(server.engine.violations).toEqual([]);
  });

  test('a request that is refused leaves no gap, and what was queued behind it is not sent', async () => {
    const { server, model } = await training();
    server.script(FORWARD, {
      status: 422,
      body: { detail: [{ loc: ['body', 'data'], msg: 'no', input: 'x' }] },
    });
    const forward = model.forwardBackward(data, 'cross_entropy');
    const step = model.optimStep(adam);
    const refused = await failureOf(forward);
    expect(refused).toMatchObject({ code: 'REJECTED', status: 422 });
    expect(refused.message).toContain('body.data: no');
    expect(await failureOf(step)).toMatchObject({ code: 'NOT_SUBMITTED', cause: refused });
    expect(server.to('/optim_step')).toEqual([]);
    await model.forwardBackward(data, 'cross_entropy');
    await model.optimStep(adam);
    expect(server.engine.violations).toEqual([]);
  });

  test('an input that is refused here holds back the step behind it too', async () => {
    const { server, model } = await training();
    const forward = model.forwardBackward([], 'cross_entropy');
    const step = model.optimStep(adam);
    expect(await failureOf(forward)).toMatchObject({ code: 'INPUT_INVALID' });
    expect(await failureOf(step)).toMatchObject({ code: 'NOT_SUBMITTED' });
    expect(server.to('/optim_step')).toEqual([]);
  });

  test('a change of the arrays after the call changes nothing of what is sent', async () => {
    const { server, model } = await training();
    const target = [2, 3];
    const hold = model.optimStep(adam);
    const forward = model.forwardBackward(
      [{ modelInput: [1, 2], lossInputs: { target_tokens: target, weights: [1, 1] } }],
      'cross_entropy',
    );
    target[1] = 9;
    await Promise.all([hold, forward]);
    expect(
      Buffer.from(server.to(FORWARD)[0]!.bytes).includes(Buffer.from(BigInt64Array.from([2n, 3n]).buffer)),
    ).toBe(true);
  });
});

describe('a submission that meets trouble', () => {
  test.each<[string, FakeTurn]>([
    ['429', { status: 429 }],
    ['500', { status: 500, body: 'oops' }],
    ['503', { status: 503 }],
    ['408', { status: 408 }],
    ['a proxy’s empty 400', { status: 400 }],
    ['409 of the hosted service', { status: 409 }],
    ['a connection reset before it arrived', 'reset'],
    ['a connection reset after it arrived', 'reset-after'],
    ['x-should-retry', { status: 422, headers: { 'x-should-retry': 'true' } }],
  ])('%s: the same bytes, number and idempotency key again', async (_name, turn) => {
    const { server, model, clock } = await training();
    server.script(FORWARD, turn, turn, turn);
    await model.forwardBackward(data, 'cross_entropy');
    await model.optimStep(adam);
    const sent = server.to(FORWARD);
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['x-idempotency-key'])).size).toBe(1);
    expect(clock.sleeps).toEqual([500, 1000, 2000]);
    expect(server.engine.violations).toEqual([]);
    expect([...server.engine.models.values()][0]?.nextSeqId).toBe(3);
  });

  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['in seconds', { 'retry-after': '7' }, 7000],
    ['in milliseconds', { 'retry-after-ms': '1234' }, 1234],
    ['for longer than a minute, which is not honoured', { 'retry-after': '3600' }, 500],
    ['unreadably', { 'retry-after': 'soon' }, 500],
    ['as nothing', { 'retry-after': '' }, 500],
    ['in milliseconds as nothing', { 'retry-after-ms': '' }, 500],
  ])('retry-after %s', async (_name, headers, waitMs) => {
    const { server, model, clock } = await training();
    server.script(FORWARD, { status: 429, headers });
    await model.forwardBackward(data, 'cross_entropy');
    expect(clock.sleeps).toEqual([waitMs]);
  });

  test('x-should-retry: false is final', async () => {
    const { server, model } = await training();
    server.script(FORWARD, { status: 503, headers: { 'x-should-retry': 'false' } });
    expect(await failureOf(model.forwardBackward(data, 'cross_entropy'))).toMatchObject({ status: 503 });
    expect(server.to(FORWARD)).toHaveLength(1);
  });

  test('425 is tried again after half a second', async () => {
    const { server, model, clock } = await training({ engine: 'tx' });
    server.script('/load_weights', { status: 425, body: { detail: 'Checkpoint is still being created' } });
    await model.saveState('a');
    const before = clock.sleeps.length;
    expect(await failureOf(model.loadState('tinker://x/weights/a', { optimizer: true }))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(clock.sleeps.slice(before)).toEqual([500]);
  });

  test('an unpaid bill is waited for at 5 s', async () => {
    const { server, model, clock } = await training();
    server.script(FORWARD, { status: 402 }, { status: 402 });
    await model.forwardBackward(data, 'cross_entropy');
    expect(clock.sleeps).toEqual([5000, 5000]);
  });

  test('longer than retryMs is an error that says how often it was tried', async () => {
    const { server, model } = await training({}, { limits: { retryMs: 5000 } });
    server.script(FORWARD, ...Array.from({ length: 9 }, () => ({ status: 503, body: { detail: 'down' } })));
    const failure = await failureOf(model.forwardBackward(data, 'cross_entropy'));
    expect(failure).toMatchObject({ code: 'UNREACHABLE', status: 503, retryable: true });
    expect(failure.message).toMatch(/down; gave up after 4 attempts/);
    // Whether the engine has it is not known, so that nothing may follow.
    expect(await failureOf(model.optimStep(adam))).toMatchObject({ code: 'NOT_SUBMITTED' });
  });

  test('a request that is not answered is given up after requestTimeoutMs and sent again', async () => {
    const { server, model, clock } = await training();
    server.script(FORWARD, 'hang');
    const forward = model.forwardBackward(data, 'cross_entropy');
    await expect.poll(() => server.to(FORWARD).length).toBe(1);
    clock.advance(60_000);
    await forward;
    expect(server.to(FORWARD)).toHaveLength(2);
    expect(clock.sleeps).toEqual([500]);
  });

  test('nobody at the address: tried again, then an error with the address', async () => {
    const service = new ServiceClient({
      baseUrl: 'http://127.0.0.1:9',
      apiKey: KEY,
      limits: { retryMs: 30, retryBaseMs: 10 },
    });
    const failure = await failureOf(service.connect());
    expect(failure).toMatchObject({ code: 'UNREACHABLE', retryable: true });
    expect(failure.message).toContain('127.0.0.1:9');
    await service.close();
  });
});

describe('on tx', () => {
  test('409 means that the number or the name is taken, and is final', async () => {
    const { server, model } = await training({ engine: 'tx' });
    server.script(FORWARD, { status: 409, body: { detail: 'Training request sequence number was reused' } });
    expect(await failureOf(model.forwardBackward(data, 'cross_entropy'))).toMatchObject({
      code: 'CONFLICT',
      status: 409,
    });
    expect(server.to(FORWARD)).toHaveLength(1);
    await model.saveState('a');
    expect(await failureOf(model.saveState('a'))).toMatchObject({ code: 'CONFLICT' });
  });

  test('a named save whose answer got lost is done when the retry finds its name taken', async () => {
    const { server, model } = await training({ engine: 'tx-0.3' });
    server.script('/save_weights', 'reset-after');
    expect(await model.saveState('a')).toEqual({ path: `tinker://${model.modelId}/weights/a` });
    server.script('/save_weights_for_sampler', 'reset-after');
    expect(await model.saveWeightsForSampler('b')).toEqual({
      kind: 'named',
      path: `tinker://${model.modelId}/sampler_weights/b`,
    });
  });

  test('an ephemeral save whose answer got lost is made again under another number', async () => {
    const { server, model } = await training({ engine: 'tx-0.3' });
    server.script('/save_weights_for_sampler', 'reset-after', { status: 409 });
    expect(await model.saveWeightsForSampler()).toMatchObject({ kind: 'ephemeral' });
    const sent = server.to('/save_weights_for_sampler').map(({ body }) => body?.['sampling_session_seq_id']);
    expect(sent).toEqual([0, 0, 1]);
  });

  test.each([FORWARD, '/optim_step'])(
    'the old version would execute %s twice, so that it is not sent twice',
    async (path) => {
      const { server, model } = await training({ engine: 'tx-0.3' });
      server.script(path, 'reset-after');
      const call = path === FORWARD ? model.forwardBackward(data, 'cross_entropy') : model.optimStep(adam);
      expect(await failureOf(call)).toMatchObject({ code: 'SUBMISSION_UNCERTAIN', retryable: false });
      expect(server.to(path)).toHaveLength(1);
      expect(await failureOf(model.optimStep(adam))).toMatchObject({ code: 'NOT_SUBMITTED' });
    },
  );

  test('what changes nothing is sent again even there', async () => {
    const { server, model } = await training({ engine: 'tx-0.3' });
    server.script('/forward', 'reset');
    expect((await model.forward(data, 'cross_entropy')).outputs).toHaveLength(1);
  });
});

describe('the caller aborts', () => {
  test('a call that waits for its turn: it is not sent, nor is what was queued behind it', async () => {
    const { server, model } = await training({ latencyMs: 20 });
    const controller = new AbortController();
    const first = model.forwardBackward(data, 'cross_entropy');
    const second = model.forwardBackward(data, 'cross_entropy', undefined, { signal: controller.signal });
    const step = model.optimStep(adam);
    controller.abort(new Error('enough'));
    const failure = await failureOf(second);
    expect(failure).toMatchObject({ code: 'ABORTED', cause: new Error('enough') });
    expect(await failureOf(step)).toMatchObject({ code: 'NOT_SUBMITTED' });
    await first;
    expect(server.to(FORWARD)).toHaveLength(1);
    await model.optimStep(adam);
    expect(server.engine.violations).toEqual([]);
  });

  test('a call on the wire: it rejects at once, the engine still gets it, and the next has the next number', async () => {
    const { server, model } = await training();
    const controller = new AbortController();
    server.script(FORWARD, () => {
      controller.abort();
      return undefined;
    });
    const forward = model.forwardBackward(data, 'cross_entropy', undefined, { signal: controller.signal });
    expect(await failureOf(forward)).toMatchObject({ code: 'ABORTED' });
    await model.optimStep(adam);
    expect(server.engine.violations).toEqual([]);
    expect([...server.engine.models.values()][0]?.nextSeqId).toBe(3);
  });

  test('a call that waits for its result: polling ends', async () => {
    const { server, model } = await training();
    server.script('/retrieve_future', 'hang');
    const controller = new AbortController();
    const forward = model.forward(data, 'cross_entropy', undefined, { signal: controller.signal });
    await expect.poll(() => server.to('/retrieve_future').length).toBe(2);
    controller.abort();
    expect(await failureOf(forward)).toMatchObject({ code: 'ABORTED' });
    expect((await model.forward(data, 'cross_entropy')).outputs).toHaveLength(1);
  });

  test('before the call: nothing is sent', async () => {
    const { server, model } = await training();
    expect(await failureOf(model.optimStep(adam, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'ABORTED',
    });
    expect(server.to('/optim_step')).toEqual([]);
  });

  test('while a retry is waited for: the attempt was the last', async () => {
    const { server, model } = await training();
    const controller = new AbortController();
    server.script(FORWARD, () => {
      controller.abort();
      return { status: 503 };
    });
    const options = { signal: controller.signal };
    expect(await failureOf(model.forwardBackward(data, 'cross_entropy', undefined, options))).toMatchObject({
      code: 'ABORTED',
    });
    await expect.poll(() => failureOf(model.optimStep(adam)).then(({ code }) => code)).toBe('NOT_SUBMITTED');
    expect(server.to(FORWARD)).toHaveLength(1);
  });
});

test('hundreds of calls may share one signal, and dozens of requests one call', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => {
    warnings.push(warning);
  };
  process.on('warning', note);
  const { service, model } = await training({}, { limits: { chunkDatums: 1 } });
  const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
  const { signal } = new AbortController();
  await Promise.all(
    Array.from({ length: 200 }, () => sampler.sample([1], { params: { maxTokens: 1 } }, { signal })),
  );
  await model.forward(
    Array.from({ length: 30 }, () => imitation([1, 2])),
    'cross_entropy',
  );
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

test('a failure that nobody awaits does not end the process', async () => {
  const { server, model } = await training();
  server.script(FORWARD, { status: 422, body: { detail: 'no' } });
  void model.forwardBackward(data, 'cross_entropy');
  void model.optimStep(adam);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.to('/optim_step')).toEqual([]);
});
