import { RllmError } from 'rllm-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { answer, completion, type FakeServer, failure, fakeServer } from './fake-server.js';
import { backendOf, callOf, errorOf, started } from './support.js';

/** Sets an environment variable for this test. */
function setEnvironment(name: string, value: string): void {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe('at start', () => {
  test('a server that has one model needs no name of it', async () => {
    const server = await fakeServer({ models: [{ id: 'only' }] });
    await (await started({ baseURL: server.baseURL })).getModelResponse(callOf());
    expect(server.chats()[0]).toMatchObject({ model: 'only' });
  });

  test('of several, one must be named', async () => {
    const { baseURL } = await fakeServer({ models: [{ id: 'a' }, { id: 'b' }] });
    const error = await errorOf(started({ baseURL }));
    expect(error.code).toBe('BACKEND_FAILED');
    expect(error.message).toContain('has 2 of them');
    expect(error.message).toContain('Known: a, b.');
  });

  test('a model that the server does not have is refused, with what is near', async () => {
    const chat = failure(404, 'The model `quen` does not exist.');
    const { baseURL } = await fakeServer({ models: [{ id: 'qwen' }], chat });
    const error = await errorOf(started({ baseURL, model: 'quen' }));
    expect(error.code).toBe('BACKEND_FAILED');
    expect(error.message).toContain('Did you mean "qwen"?');
  });

  test('a model that is not listed and answers is taken: adapters are not listed everywhere', async () => {
    const server = await fakeServer({ models: [{ id: 'base' }] });
    await started({ baseURL: server.baseURL, model: 'base:adapter' });
    expect(server.chats()).toMatchObject([{ model: 'base:adapter', max_tokens: 1 }]);
  });

  test('a server without a list of models is asked for a token', async () => {
    const server = await fakeServer({ models: null });
    await started({ baseURL: `${server.baseURL}/`, model: 'tiny' });
    expect(server.chats()).toHaveLength(1);
  });

  test('a base URL without the API is refused', async () => {
    const { baseURL } = await fakeServer();
    const error = await errorOf(started({ baseURL: baseURL.replace('/v1', ''), model: 'tiny' }));
    expect(error.code).toBe('BACKEND_FAILED');
    expect(error.message).toContain('mostly ends in /v1');
  });

  test('a server that is down is an error that says so', async () => {
    const server = await fakeServer();
    await server.close();
    const error = await errorOf(started({ baseURL: server.baseURL }));
    expect(error.code).toBe('BACKEND_FAILED');
    expect(error.message).toContain('cannot be reached');
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('something else than an API is an error that says so', async () => {
    const { baseURL } = await fakeServer({
      models: null,
      chat: (_request, response) => answer(response, '<html>It works!</html>'),
    });
    const error = await errorOf(started({ baseURL, model: 'tiny' }));
    expect(error.message).toContain('no OpenAI-compatible API');
    expect(error.message).toContain('It works!');
  });
});

describe('the key', () => {
  test('comes from the variable that the option names', async () => {
    setEnvironment('MY_KEY', 'sk-secret');
    const server = await fakeServer();
    await (await started({ baseURL: server.baseURL, apiKeyEnv: 'MY_KEY' })).getModelResponse(callOf());
    expect(server.seen.map(({ authorization }) => authorization)).toEqual([
      'Bearer sk-secret',
      'Bearer sk-secret',
    ]);
  });

  test('that nobody named is not sent, whatever the environment has', async () => {
    setEnvironment('OPENAI_API_KEY', 'sk-secret');
    const server = await fakeServer();
    await started({ baseURL: server.baseURL });
    expect(server.seen[0]?.authorization).toBeUndefined();
  });

  test('that is refused is not repeated in the error, even if the server does', async () => {
    setEnvironment('MY_KEY', 'sk-secret');
    const { baseURL } = await fakeServer({
      models: null,
      chat: failure(401, 'Incorrect API key provided: sk-secret.'),
    });
    const error = await errorOf(started({ baseURL, model: 'tiny', apiKeyEnv: 'MY_KEY' }));
    expect(error.code).toBe('BACKEND_FAILED');
    expect(error.message).toContain('the key in MY_KEY');
    expect(JSON.stringify([error.message, error.details, String(error.cause)])).not.toContain('sk-secret');
  });

  test.each(['', ' '])('that is blank (%j) is none, and leaves what a server says as it is', async (key) => {
    setEnvironment('MY_KEY', key);
    const server = await fakeServer({ models: null, chat: failure(401, 'Who are you?') });
    const error = await errorOf(started({ baseURL: server.baseURL, model: 'tiny', apiKeyEnv: 'MY_KEY' }));
    expect(error.message).toContain(': Who are you?.');
    expect(server.seen[0]?.authorization).toBeUndefined();
  });
});

describe('failures that pass', () => {
  const twice = (first: Parameters<typeof fakeServer>[0]): Promise<FakeServer> =>
    fakeServer({ chat: [(first as { chat: object }).chat, completion('hello')] as const });

  test.each([
    ['429 with retry-after', failure(429, 'Slow down.', { 'retry-after': '0' })],
    ['500', failure(500, 'Oops.', { 'retry-after-ms': '1' })],
    ['503 until a date', failure(503, 'Busy.', { 'retry-after': new Date(0).toUTCString() })],
    ['a connection that breaks', (_request: unknown, response: { destroy(): void }) => response.destroy()],
    [
      'JSON that is cut off',
      (_: unknown, response: Parameters<typeof answer>[0]) => answer(response, '{"ch'),
    ],
  ])('%s is tried again', async (_what, chat) => {
    const server = await twice({ chat });
    const engine = await started({ baseURL: server.baseURL, maxRetries: 1 });
    expect(await engine.getModelResponse(callOf())).toMatchObject({ content: 'hello' });
    expect(server.chats()).toHaveLength(2);
    expect(server.chats()[1]).toEqual(server.chats()[0]);
  });

  test.each([
    ['retry-after', ''],
    ['retry-after', '-1'],
    ['retry-after', 'soon'],
    ['retry-after-ms', ''],
  ])('%s: %j says nothing, and the pause is our own', async (header, value) => {
    const server = await twice({ chat: failure(429, 'Slow down.', { [header]: value }) });
    const engine = await started({ baseURL: server.baseURL, maxRetries: 1 });
    const before = performance.now();
    await engine.getModelResponse(callOf());
    expect(performance.now() - before).toBeGreaterThan(350);
  });

  test('and that do not pass are the call’s failure', async () => {
    const server = await fakeServer({ chat: failure(500, 'Oops.', { 'retry-after': '0' }) });
    const engine = await started({ baseURL: server.baseURL, maxRetries: 2 });
    const error = await errorOf(engine.getModelResponse(callOf()));
    expect(error.code).toBe('ROLLOUT_FAILED');
    expect(error.message).toContain('(500): Oops.');
    expect(server.chats()).toHaveLength(3);
  });

  test('a server that is silent too long is given up', async () => {
    const { baseURL } = await fakeServer({ chat: () => undefined });
    const engine = await started({ baseURL, timeoutMs: 50 });
    const error = await errorOf(engine.getModelResponse(callOf()));
    expect(error.code).toBe('ROLLOUT_FAILED');
    expect(error.message).toContain('no answer within 50 ms');
  });

  test('so is one that begins to answer and does not end', async () => {
    const { baseURL } = await fakeServer({
      chat: (_request, response) => void response.writeHead(200).write('{"choices":'),
    });
    const engine = await started({ baseURL, timeoutMs: 50 });
    expect((await errorOf(engine.getModelResponse(callOf()))).message).toContain('no answer within 50 ms');
  });
});

describe('failures that do not pass', () => {
  test('a call that is refused is not tried again, and the server’s reason is told', async () => {
    const server = await fakeServer({
      chat: (_request, response) =>
        answer(response, { object: 'error', message: 'top_p must be in (0, 1]', code: 400 }, 400),
    });
    const engine = await started({ baseURL: server.baseURL, maxRetries: 3 });
    const error = await errorOf(engine.getModelResponse(callOf()));
    expect(error.code).toBe('ROLLOUT_FAILED');
    expect(error.message).toContain('(400): top_p must be in (0, 1]');
    expect(server.chats()).toHaveLength(1);
  });

  test('a prompt that is too long is PROMPT_TOO_LONG', async () => {
    const message = "The input (5000 tokens) is longer than the model's context length (4096 tokens).";
    const { baseURL } = await fakeServer({ chat: failure(400, message) });
    const engine = await started({ baseURL });
    expect((await errorOf(engine.getModelResponse(callOf()))).code).toBe('PROMPT_TOO_LONG');
  });

  test('a completion longer than the room is asked for again as long as there is room', async () => {
    const message =
      "This model's maximum context length is 20 tokens and your request has 12 input tokens (16 > 20 - 12).";
    const server = await fakeServer({ chat: [failure(400, message), completion('short')] });
    const engine = await started({ baseURL: server.baseURL });
    expect(await engine.getModelResponse(callOf())).toMatchObject({ content: 'short' });
    expect(server.chats().map((body) => body['max_tokens'])).toEqual([16, 8]);
  });
});

describe('an end', () => {
  test('by the call’s signal is at once, in the middle of an answer', async () => {
    const stop = new AbortController();
    const { baseURL } = await fakeServer({ chat: () => stop.abort() });
    const engine = await started({ baseURL });
    expect((await errorOf(engine.getModelResponse(callOf({ signal: stop.signal })))).code).toBe('ABORTED');
  });

  test('by the call’s signal is at once, in the middle of a pause', async () => {
    const stop = new AbortController();
    const { baseURL } = await fakeServer({
      chat: (request, response) => {
        response.on('close', () => setImmediate(() => stop.abort()));
        const slow = failure(429, 'Slow down.', { 'retry-after': '3600' });
        if (typeof slow === 'function') slow(request, response);
      },
    });
    const engine = await started({ baseURL, maxRetries: 1 });
    expect((await errorOf(engine.getModelResponse(callOf({ signal: stop.signal })))).code).toBe('ABORTED');
  });

  test('by shutdown gives up what goes on and what waits', async () => {
    const { baseURL, chats } = await fakeServer({ chat: () => void backend.shutdown() });
    const backend = backendOf({ baseURL, maxConcurrency: 1 });
    await backend.start();
    const calls = [1, 2, 3].map(() => errorOf(backend.rolloutEngine.getModelResponse(callOf())));
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['ABORTED', 'ABORTED', 'ABORTED']);
    expect(chats()).toHaveLength(1);
  });
});

test('as many calls are made at once as are allowed, and no more', async () => {
  const open: (() => void)[] = [];
  let most = 0;
  const { baseURL } = await fakeServer({
    chat: (_request, response) => {
      most = Math.max(
        most,
        open.push(() => answer(response, completion('hello'))),
      );
      // A pause in which one call too many would come.
      if (open.length === 2) setTimeout(() => open.splice(0).forEach((reply) => void reply()), 20);
    },
  });
  const engine = await started({ baseURL, maxConcurrency: 2 });
  await Promise.all(Array.from({ length: 8 }, () => engine.getModelResponse(callOf())));
  expect(most).toBe(2);
});

test('the seed of a call depends on the run and on its identity alone', async () => {
  const server = await fakeServer();
  const engine = await started({ baseURL: server.baseURL });
  const other = callOf({ identity: { ...callOf().identity, rolloutIndex: 2 } });
  for (const call of [callOf(), other, callOf()]) await engine.getModelResponse(call);
  const another = await started({ baseURL: server.baseURL }, { config: { trainer: { seed: 9 } } });
  await another.getModelResponse(callOf());
  const [a, b, c, d] = server.chats().map((body) => body['seed']);
  expect(c).toBe(a);
  expect(new Set([a, b, d]).size).toBe(3);
});

test.each([
  ['vllm', { return_token_ids: true, logprobs: true }],
  ['sglang', { return_token_ids: true, return_prompt_token_ids: true }],
])('a server that says it is %s is asked for token ids as it knows them', async (owner, fields) => {
  const server = await fakeServer({ models: [{ id: 'tiny', owned_by: owner }] });
  await (await started({ baseURL: server.baseURL })).getModelResponse(callOf());
  expect(server.chats()[0]).toMatchObject(fields);
});

test('any other server is not asked for what it may refuse', async () => {
  const server = await fakeServer({ models: [{ id: 'tiny', owned_by: 'library' }] });
  await (await started({ baseURL: server.baseURL })).getModelResponse(callOf());
  expect(Object.keys(server.chats()[0] ?? {}).filter((key) => /return|logprobs/.test(key))).toEqual([]);
});

test('what was used is told at the end', async () => {
  const lines: string[] = [];
  const logger = { debug() {}, warn() {}, error() {}, info: (line: string) => void lines.push(line) };
  const { baseURL } = await fakeServer();
  const backend = backendOf({ baseURL }, { logger });
  await backend.start();
  for (let i = 0; i < 2; i++) await backend.rolloutEngine.getModelResponse(callOf());
  await backend.shutdown();
  expect(lines.at(-1)).toBe('openai: 2 calls, 6 prompt tokens, 4 completion tokens');
});

test('it has no checkpoints, and says what loads the weights', async () => {
  const { baseURL } = await fakeServer();
  const error = await errorOf(backendOf({ baseURL }).loadCheckpoint('/run/best'));
  expect(error).toBeInstanceOf(RllmError);
  expect(error.code).toBe('CHECKPOINT_INVALID');
});
