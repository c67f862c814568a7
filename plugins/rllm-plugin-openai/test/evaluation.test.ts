import { createApp, defineWorkflow, type RllmConfigInput } from 'rllm-sdk';
import { expect, test, vi } from 'vitest';
import openai from '../src/index.js';
import { answer, completion, failure, fakeServer, type Reply } from './fake-server.js';
import { errorOf } from './support.js';

/** Asks for a sum, by a tool if the model wants one; right is the task's answer. */
const add = defineWorkflow('add', async (task, context) => {
  const agent = context.agent('adder');
  const tools = [{ name: 'add', parameters: { type: 'object' } }];
  let output = await agent.respond(String(task['question']), { tools });
  for (const call of output.toolCalls ?? []) {
    const sum = Number(call.arguments['a']) + Number(call.arguments['b']);
    output = await agent.respond({ role: 'tool', content: String(sum), toolCallId: call.id });
  }
  agent.reward(output.content === task['answer'] ? 1 : 0);
});

const TASKS = [
  { id: 'one', question: '1 + 1', answer: '2' },
  { id: 'two', question: '2 + 3', answer: '5' },
  { id: 'three', question: '3 + 5', answer: '8' },
];

/** Calls the tool for the second task, is wrong about the third. */
const model: Reply = (request, response) => {
  const { messages } = request.body as {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
  const last = messages.at(-1);
  if (last?.content === '2 + 3') {
    const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } };
    answer(response, completion(null, { finish_reason: 'tool_calls', message: { tool_calls: [call] } }));
  } else answer(response, completion(last?.role === 'tool' ? last.content : '2'));
};

function config(baseURL: string, more: RllmConfigInput = {}): RllmConfigInput {
  return {
    backend: { name: 'openai', options: { openai: { baseURL, maxRetries: 0 } } },
    workflow: { retryLimit: 1 },
    ...more,
  };
}

const options = { plugins: [openai], workflow: add, valData: TASKS, run: null, useDeclared: false } as const;

test.each(['vllm', 'library'])('a server of %s is evaluated, with or without token ids', async (owner) => {
  const { baseURL } = await fakeServer({ models: [{ id: 'tiny', owned_by: owner }], chat: model });
  await using app = await createApp(config(baseURL), { ...options, validateOnly: true });
  const metrics = await (await app.trainer()).validate();
  expect(metrics).toMatchObject({
    'val/unknown/pass@1': 2 / 3,
    'val/unknown/rollouts': 3,
    'val/unknown/dropped': 0,
    'val/reward/adder/mean': 2 / 3,
  });
});

test('trainer.valOnly runs to its end, and its episodes hold what was said', async () => {
  const { baseURL } = await fakeServer({ chat: model });
  await using app = await createApp(config(baseURL, { trainer: { valOnly: true } }), options);
  expect(await (await app.trainer()).fit()).toMatchObject({
    status: 'completed',
    lastValidation: { 'val/unknown/pass@1': 2 / 3 },
  });
});

test('training is refused when the app is put together, with what can be done', async () => {
  const started = createApp(config('http://127.0.0.1:1/v1'), { ...options, trainData: TASKS });
  const error = await errorOf(started);
  expect(error.code).toBe('CAPABILITY_MISSING');
  expect(error.message).toContain('trainer.valOnly');
  expect(error.message).toContain('cannot train');
});

test('a rollout whose prompt is too long ends for that reason, and the others go on', async () => {
  const chat: Reply = (request, response) => {
    const isLong = JSON.stringify(request.body).includes('3 + 5');
    const reply = isLong ? failure(400, 'prompt is too long: 5000 tokens > 4096 maximum') : model;
    if (typeof reply === 'function') reply(request, response);
  };
  const { baseURL } = await fakeServer({ chat });
  await using app = await createApp(config(baseURL), { ...options, validateOnly: true });
  const metrics = await (await app.trainer()).validate();
  expect(metrics).toMatchObject({ 'val/unknown/pass@1': 2 / 3, 'val/unknown/dropped': 1 });
});

test('a checkpoint to evaluate is refused', async () => {
  const { baseURL } = await fakeServer();
  await using app = await createApp(config(baseURL), { ...options, validateOnly: true });
  await app.trainer();
  const weights = { ...options, validateOnly: true, weights: import.meta.dirname };
  await using other = await createApp(config(baseURL), weights);
  expect((await errorOf((await other.trainer()).validate())).code).toBe('CHECKPOINT_INVALID');
});

test.each([
  [{ baseUrl: 'http://localhost' }, 'baseUrl'],
  [{ baseURL: 'localhost:8000' }, 'baseURL'],
  [{ baseURL: 'http://localhost/v1', timeoutMs: 900_000 }, 'timeoutMs'],
])('the options %j are refused at their place', async (given, place) => {
  const input = { backend: { name: 'openai', options: { openai: given } } };
  // @ts-expect-error The compiler finds the first by itself.
  const error = await errorOf(createApp(input, { ...options, validateOnly: true, complete: true }));
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain(place);
});

test.each([
  [undefined, 'NO_SUCH_KEY, which holds the key, is not set'],
  ['', 'NO_SUCH_KEY, which holds the key, is empty'],
  [' \n', 'NO_SUCH_KEY, which holds the key, is empty'],
])('a key whose variable is %j is refused before anything is asked', async (key, message) => {
  vi.stubEnv('NO_SUCH_KEY', key);
  const openaiOptions = { baseURL: 'http://127.0.0.1:1/v1', apiKeyEnv: 'NO_SUCH_KEY' };
  const input = { backend: { name: 'openai', options: { openai: openaiOptions } } };
  const error = await errorOf(createApp(input, { ...options, validateOnly: true, complete: true }));
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain(message);
  vi.unstubAllEnvs();
});
