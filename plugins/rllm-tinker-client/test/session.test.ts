import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HOSTED_PROFILE, ServiceClient, TX_PROFILE } from '../src/index.js';
import { FakeTinker } from '../src/testing/index.js';
import { bench, failureOf, imitation, KEY, training } from './support.js';

const BEAT = '/session_heartbeat';

describe('opening a session', () => {
  test('sends nothing before the first call, and calls at the same time share one session', async () => {
    const { server, service } = await bench();
    expect(server.requests).toEqual([]);
    await Promise.all([
      service.connect(),
      service.capabilities(),
      service.samplingClient({ baseModel: 'fake/bigram' }),
    ]);
    expect(server.to('/create_session')).toHaveLength(1);
    expect(server.to('/client/config')).toHaveLength(1);
  });

  test('sends the key as X-API-Key, and what the session is found by', async () => {
    const { server, service } = await bench({}, { tags: ['a'], userMetadata: { who: 'me' }, projectId: 'p' });
    await service.connect();
    const [request] = server.to('/create_session');
    expect(request?.headers).toMatchObject({ 'x-api-key': KEY, 'content-type': 'application/json' });
    expect(request?.body).toMatchObject({ tags: ['a'], user_metadata: { who: 'me' }, project_id: 'p' });
    expect(request?.body?.['sdk_version']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('takes address, key, tags and project from the environment', async () => {
    const server = await FakeTinker.start();
    vi.stubEnv('TINKER_BASE_URL', `${server.url}/`);
    vi.stubEnv('TINKER_API_KEY', KEY);
    vi.stubEnv('TINKER_TAGS', 'x,y');
    vi.stubEnv('TINKER_PROJECT_ID', 'q');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await using service = new ServiceClient();
    await service.connect();
    expect(server.to('/create_session')[0]?.body).toMatchObject({ tags: ['x', 'y'], project_id: 'q' });
    expect(server.to('/create_session')[0]?.headers['x-api-key']).toBe(KEY);
    await service.close();
    await server.close();
  });

  test('passes on what the engine says to the user', async () => {
    const { server, service, log } = await bench();
    const body = {
      session_id: 's',
      info_message: 'hello',
      warning_message: 'old client',
      error_message: null,
    };
    server.script('/create_session', { status: 200, body });
    await service.connect();
    expect(log.join('\n')).toMatch(/hello[\s\S]*old client/);
  });

  test('that fails is tried anew by the next call', async () => {
    const { server, service } = await bench();
    server.script('/create_session', { status: 403, body: { detail: 'no' } });
    expect(await failureOf(service.connect())).toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await service.connect()).name).toBe('hosted');
  });

  test.each(['ftp://x', 'tinker', ''])('at "%s" is refused', (baseUrl) => {
    expect(() => new ServiceClient({ baseUrl })).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });
});

describe('the engine', () => {
  test.each(['hosted', 'tx', 'tx-0.3'] as const)('%s is detected', async (engine) => {
    const { service } = await bench({ engine });
    expect((await service.connect()).name).toBe(engine);
    const { models } = await service.capabilities();
    expect(models).toEqual([
      { name: 'fake/bigram', maxContextLength: engine === 'hosted' ? 32768 : undefined },
    ]);
  });

  test('can be named, and described', async () => {
    expect((await (await bench({ engine: 'tx' }, { engine: 'hosted' })).service.connect()).name).toBe(
      'hosted',
    );
    expect((await (await bench({}, { engine: 'tx' })).service.connect()).name).toBe('tx');
    const mine = { ...TX_PROFILE, name: 'mine', gradClipping: true };
    const { service } = await bench({ engine: 'tx' }, { engine: mine });
    expect(await service.connect()).toEqual(mine);
    const model = await service.createTrainingClient({ baseModel: 'fake/bigram' });
    await model.optimStep({ learningRate: 0.1, gradClipNorm: 1 });
  });

  test.each([
    [undefined, 'KEY_MISSING'],
    ['sk-other', 'KEY_INVALID'],
  ])('hosted with the key %j: %s, told before anything goes to the service', async (apiKey, code) => {
    const fetch = vi.fn();
    vi.stubEnv('TINKER_API_KEY', undefined);
    vi.stubEnv('TINKER_BASE_URL', undefined);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const service = new ServiceClient({ fetch, ...(apiKey === undefined ? {} : { apiKey }) });
    expect(await failureOf(service.connect())).toMatchObject({ code });
    expect(fetch).not.toHaveBeenCalled();
  });

  test('tx wants no key', async () => {
    const server = await FakeTinker.start({ engine: 'tx' });
    await using service = new ServiceClient({ baseUrl: server.url });
    await service.connect();
    expect(server.to('/create_session')[0]?.headers['x-api-key']).toBeUndefined();
    await service.close();
    await server.close();
  });

  test('says how large requests may be, unless the caller says it', async () => {
    const clientConfig = { fwdbwd_max_chunk_len: 2, sample_max_concurrent_requests: 'many', new_flag: 1 };
    const { server, model } = await training({ clientConfig });
    await model.forward(
      [1, 2, 3].map((k) => imitation([k, k])),
      'cross_entropy',
    );
    expect(server.to('/forward_backward')).toHaveLength(2);
    const own = await training({ clientConfig }, { limits: { chunkDatums: 1 } });
    await own.model.forward(
      [1, 2, 3].map((k) => imitation([k, k])),
      'cross_entropy',
    );
    expect(own.server.to('/forward_backward')).toHaveLength(3);
  });
});

describe('a token in place of the key', () => {
  const jwtOf = (seconds: number): string =>
    `h.${Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + seconds })).toString('base64url')}.s`;

  test('is asked for with the key where the engine wants it, and then shown everywhere', async () => {
    const { server, service } = await bench({ clientConfig: { pjwt_auth_enabled: true } });
    const jwt = jwtOf(3600);
    server.script('/auth/token', { status: 200, body: { jwt } });
    await service.capabilities();
    expect(server.to('/auth/token')[0]?.headers['x-api-key']).toBe(KEY);
    expect(server.to('/create_session')[0]?.headers['x-api-key']).toBe(jwt);
  });

  test('is renewed once before it runs out, whoever comes first', async () => {
    const { server, service, clock } = await bench({ clientConfig: { pjwt_auth_enabled: true } });
    server.script('/auth/token', { status: 200, body: { jwt: jwtOf(3600) } });
    await service.connect();
    clock.advance(3_290_000);
    await service.capabilities();
    expect(server.to('/auth/token')).toHaveLength(1);
    clock.advance(20_000);
    await Promise.all([service.capabilities(), service.capabilities(), service.capabilities()]);
    expect(server.to('/auth/token')).toHaveLength(2);
  });

  test('is used on while it is good, should the renewal fail', async () => {
    const { server, service, clock, log } = await bench({ clientConfig: { pjwt_auth_enabled: true } });
    server.script('/auth/token', { status: 200, body: { jwt: jwtOf(3600) } }, { status: 503 }, 'reset');
    await service.connect();
    clock.advance(3_310_000);
    await service.capabilities();
    await service.capabilities();
    expect(server.to('/auth/token')).toHaveLength(2);
    expect(log.join()).toContain('could not be renewed');
    clock.advance(250_000);
    await service.capabilities();
    expect(server.to('/auth/token').length).toBeGreaterThan(3);
  });

  test('is not lost to all when the call that asked for it is aborted', async () => {
    const { server, service, clock } = await bench({ clientConfig: { pjwt_auth_enabled: true } });
    const controller = new AbortController();
    server.script('/auth/token', { status: 200, body: { jwt: jwtOf(3600) } }, () => {
      controller.abort();
      return undefined;
    });
    await service.connect();
    clock.advance(3_590_000);
    const aborted = service.capabilities({ signal: controller.signal });
    const other = service.capabilities();
    expect(await failureOf(aborted)).toMatchObject({ code: 'ABORTED' });
    expect((await other).models).toHaveLength(1);
  });

  test('that has no end is refused', async () => {
    const { server, service } = await bench({ clientConfig: { pjwt_auth_enabled: true } });
    server.script('/auth/token', { status: 200, body: { jwt: 'x.y.z' } });
    expect(await failureOf(service.connect())).toMatchObject({ code: 'RESPONSE_INVALID' });
  });
});

describe('the heartbeat', () => {
  test('goes out every 10 s until the client closes', async () => {
    const { server, service, clock } = await bench();
    await service.connect();
    for (const beats of [1, 2, 3]) {
      clock.advance(10_000);
      await expect.poll(() => server.to(BEAT).length).toBe(beats);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await service.close();
    clock.advance(60_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.to(BEAT)).toHaveLength(3);
  });

  test('that fails ends nothing, and warns once after two minutes of silence', async () => {
    const { server, service, clock, log } = await bench();
    await service.connect();
    server.script(
      BEAT,
      ...Array.from({ length: 15 }, (_, k) => (k % 2 === 0 ? ('reset' as const) : { status: 500 })),
    );
    for (let beats = 1; beats <= 15; beats++) {
      clock.advance(10_000);
      await expect.poll(() => server.to(BEAT).length).toBe(beats);
      await expect.poll(() => log.filter((line) => line.includes('a heartbeat')).length).toBe(beats);
    }
    expect(log.filter((line) => line.includes('answered no heartbeat'))).toHaveLength(1);
    expect((await service.capabilities()).models).toHaveLength(1);
  });

  test('that is slow is given up after 10 s', async () => {
    const { server, service, clock, log } = await bench();
    await service.connect();
    server.script(BEAT, 'hang');
    clock.advance(10_000);
    await expect.poll(() => server.to(BEAT).length).toBe(1);
    clock.advance(10_000);
    await expect.poll(() => log.some((line) => line.includes('a heartbeat failed'))).toBe(true);
  });
});

describe('closing', () => {
  test('rejects all that is pending with one code: on the wire, polled for, waiting for its turn, asleep', async () => {
    const { server, service, model } = await training();
    const sampler = await service.samplingClient({ baseModel: 'fake/bigram' });
    server.script('/retrieve_future', 'hang', 'hang');
    server.script('/optim_step', 'hang');
    const pending = [
      model.forward([imitation([1, 2])], 'cross_entropy'),
      sampler.sample([1], { params: { maxTokens: 1 } }),
      model.optimStep({ learningRate: 0.1 }),
      model.saveState('a'),
    ];
    await expect.poll(() => server.to('/optim_step').length).toBe(1);
    await service.close();
    for (const call of pending) expect(await failureOf(call)).toMatchObject({ code: 'CLOSED' });
    for (const call of [
      () => service.capabilities(),
      () => model.optimStep({ learningRate: 1 }),
      () => sampler.sample([1], { params: { maxTokens: 1 } }),
      () => service.rest().trainingRuns(),
      () => model.info(),
    ]) {
      expect(await failureOf(call())).toMatchObject({ code: 'CLOSED' });
    }
  });

  test('does not retry any more', async () => {
    const { server, service, model } = await training();
    server.script('/optim_step', () => {
      void service.close();
      return { status: 503 };
    });
    expect(await failureOf(model.optimStep({ learningRate: 1 }))).toMatchObject({ code: 'CLOSED' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.to('/optim_step')).toHaveLength(1);
  });

  test('unloads the models of tx that are still loaded, and is silent if that fails', async () => {
    const { server, service, model } = await training({ engine: 'tx' });
    const other = await service.createTrainingClient({ baseModel: 'fake/bigram' });
    await other.unload();
    await Promise.all([service.close(), service.close()]);
    expect(server.to('/unload_model').map(({ body }) => body?.['model_id'])).toEqual([
      other.modelId,
      model.modelId,
    ]);
    const broken = await training({ engine: 'tx' });
    broken.server.script('/unload_model', 'reset');
    await broken.service.close();
  });

  test('before anything was opened sends nothing', async () => {
    const { server, service } = await bench();
    await service.close();
    expect(server.requests).toEqual([]);
  });

  test('happens at the end of `await using`', async () => {
    const { server } = await bench();
    let kept: ServiceClient;
    {
      await using service = new ServiceClient({ baseUrl: server.url, apiKey: KEY });
      await service.connect();
      kept = service;
    }
    expect(await failureOf(kept.connect())).toMatchObject({ code: 'CLOSED' });
  });
});

test('the key is in no log line, no error and no inspection, even when the engine sends it back', async () => {
  const lines: string[] = [];
  const note = (message: string): void => {
    lines.push(message);
  };
  const { server, service, model } = await training(
    { engine: 'hosted' },
    { logger: { debug: note, info: note, warn: note } },
  );
  const jwtBody = { detail: `key ${KEY} is not allowed` };
  const failures: unknown[] = [];
  for (const [path, call] of [
    ['/optim_step', () => model.optimStep({ learningRate: 1 })],
    ['/get_info', () => model.info()],
    ['/training_runs', () => service.rest().trainingRuns()],
    ['/retrieve_future', () => model.forward([imitation([1, 2])], 'cross_entropy')],
  ] as const) {
    server.script(path, { status: 503, body: jwtBody }, 'reset', { status: 403, body: jwtBody });
    failures.push(await failureOf(call()));
  }
  server.script('/retrieve_future', { status: 200, body: { error: `bad key ${KEY}`, category: 'user' } });
  failures.push(await failureOf(model.forward([imitation([1, 2])], 'cross_entropy')));
  expect(failures).toHaveLength(5);
  expect(lines.length).toBeGreaterThan(3);
  const everything = inspect([lines, failures, service, model], { depth: 20, showHidden: true });
  expect(everything).toContain('[key]');
  expect(everything).not.toContain(KEY);
  expect(JSON.stringify([lines, failures, service, model])).not.toContain(KEY);
});

test('profiles say what differs between engines', () => {
  expect(TX_PROFILE.losses.ppo?.inputs).toContain('weights');
  expect(HOSTED_PROFILE.losses.ppo?.inputs).not.toContain('weights');
});
