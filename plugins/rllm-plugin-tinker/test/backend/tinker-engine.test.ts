import {
  type Backend,
  createStep,
  createTrajectory,
  type Message,
  type ModelOutput,
  type SamplingParams,
  type ToolDefinition,
} from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { callOf, fakeEngine, startedBackend, train } from '../drive-backend.js';
import { QWEN3, SPECIALS } from '../tiny-model.js';

const END = SPECIALS['<|im_end|>'];
const user = (content: string): Message => ({ role: 'user', content });
const WEATHER: ToolDefinition = { name: 'weather', parameters: { type: 'object' } };

/** A text as ids of single bytes, which is how the engine may sample it. */
const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];

/** The engine samples these completions, one for each call. */
async function saying(completions: readonly (readonly number[])[], setting = {}) {
  const server = await fakeEngine({ engine: 'tx' });
  const backend = await startedBackend(server, setting);
  const left = completions.map((tokens) => ({ status: 200, body: resultOf(tokens) }));
  const sample = (sampling: SamplingParams) => {
    server.script('/retrieve_future', left.shift()!);
    return (messages: readonly Message[], where = {}): Promise<ModelOutput> =>
      backend.rolloutEngine.getModelResponse(callOf(messages, where, sampling));
  };
  const requests = () => server.to('/asample').map(({ body }) => body?.['sampling_params']);
  return { server, backend, sample, requests };
}

const resultOf = (tokens: readonly number[]) => ({
  type: 'sample',
  sequences: [
    {
      stop_reason: tokens.at(-1) === END ? 'stop' : 'length',
      tokens,
      logprobs: tokens.map((_, i) => -1 - i),
    },
  ],
  prompt_logprobs: null,
  topk_prompt_logprobs: null,
});

describe('a completion', () => {
  test('is what the engine sampled: ids with the stop token, log-probs, text without it', async () => {
    const { sample } = await saying([[...bytes('hi'), END]]);
    const output = await sample({ maxTokens: 9 })([user('a')]);
    expect(output).toMatchObject({
      text: 'hi',
      content: 'hi',
      completionIds: [...bytes('hi'), END],
      logprobs: [-1, -2, -3],
      finishReason: 'stop',
      weightVersion: 0,
    });
  });

  test('that ran out of tokens ends by length', async () => {
    const { sample } = await saying([bytes('hi')]);
    expect((await sample({ maxTokens: 2 })([user('a')])).finishReason).toBe('length');
  });

  test('with calls of tools ends by them', async () => {
    const call = '<tool_call>{"name":"weather","arguments":{"place":"Bonn"}}</tool_call>';
    const { sample } = await saying([[...bytes(call), END]], { template: QWEN3 });
    const output = await sample({ tools: [WEATHER] })([user('a')], { call: 3 });
    expect(output).toMatchObject({
      text: call,
      content: '',
      toolCalls: [{ id: 'call_3_0', name: 'weather', arguments: { place: 'Bonn' } }],
      finishReason: 'tool_calls',
    });
  });

  test('has its thinking apart', async () => {
    const { sample } = await saying([[...bytes('<think>hm</think>yes'), END]], { template: QWEN3 });
    expect(await sample({})([user('a')])).toMatchObject({ content: 'yes', reasoning: 'hm' });
  });

  test('ends at a stop token, even where the engine went on', async () => {
    const { sample } = await saying([[65, END, 66, 67]]);
    expect(await sample({ stop: ['STOP'] })([user('a')])).toMatchObject({
      completionIds: [65, END],
      logprobs: [-1, -2],
      text: 'A',
      finishReason: 'stop',
    });
  });
});

describe('what is asked of the engine', () => {
  test('are the settings of the call and the stop tokens of the model', async () => {
    const { sample, requests } = await saying([[END]]);
    await sample({ maxTokens: 7, temperature: 0.5, topP: 0.9 })([user('a')]);
    expect(requests()).toEqual([
      expect.objectContaining({
        max_tokens: 7,
        temperature: 0.5,
        top_p: 0.9,
        stop: [SPECIALS['<|endoftext|>'], END],
        seed: expect.any(Number),
      }),
    ]);
  });

  test('are stop tokens by their spelling beside texts, since an engine takes one or the other', async () => {
    const { sample, requests } = await saying([[END]]);
    await sample({ stop: ['\n\n'] })([user('a')]);
    expect(requests()).toEqual([expect.objectContaining({ stop: ['\n\n', '<|endoftext|>', '<|im_end|>'] })]);
  });

  test('is no more than there is room for: one token is kept free', async () => {
    const { sample, requests } = await saying([[END]], { options: { maxLength: 40 } });
    const { promptIds } = await sample({ maxTokens: 1000 })([user('a')]);
    expect(requests()).toEqual([expect.objectContaining({ max_tokens: 39 - promptIds.length })]);
  });
});

test.each([
  ['maxLength', { maxLength: 30 }],
  ['maxPromptTokens', { maxPromptTokens: 20 }],
])('a prompt over %s is refused, and nothing is sent', async (_, options) => {
  const { backend, server } = await saying([], { options });
  const prompt = backend.rolloutEngine.getModelResponse(callOf([user('a prompt of many bytes')]));
  await expect(prompt).rejects.toMatchObject({ code: 'PROMPT_TOO_LONG' });
  expect(server.to('/asample')).toEqual([]);
});

test('a call that is aborted gives nothing, whether before or while it samples', async () => {
  const { backend, server } = await saying([]);
  const controller = new AbortController();
  server.script('/asample', 'hang');
  const running = backend.rolloutEngine.getModelResponse({
    ...callOf([user('a')]),
    signal: controller.signal,
  });
  await expect.poll(() => server.to('/asample').length).toBe(1);
  controller.abort();
  expect(await running).toMatchObject({ finishReason: 'abort', completionIds: [], logprobs: [] });
  const late = await backend.rolloutEngine.getModelResponse({
    ...callOf([user('a')]),
    signal: controller.signal,
  });
  expect(late.finishReason).toBe('abort');
});

test('a call that the engine refuses fails as a rollout, with what the engine said', async () => {
  const { backend, server } = await saying([]);
  server.script('/asample', { status: 400, body: { detail: 'too hot' } });
  await expect(backend.rolloutEngine.getModelResponse(callOf([user('a')]))).rejects.toMatchObject({
    code: 'ROLLOUT_FAILED',
    message: expect.stringContaining('too hot'),
  });
});

describe('a conversation of several turns', () => {
  /** A trajectory of two calls of one rollout. */
  async function twoTurns(
    backend: Backend,
    ask: Awaited<ReturnType<typeof saying>>['sample'],
    second: Message,
  ) {
    const first = await ask({})([user('hello')], { call: 0 });
    const { content, reasoning, toolCalls } = first;
    const reply: Message = {
      role: 'assistant',
      content,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(toolCalls === undefined ? {} : { toolCalls }),
    };
    const next = await ask({})([user('hello'), reply, second], { call: 1 });
    const steps = [first, next].map((modelOutput) => createStep({ modelOutput, advantage: 1 }));
    const metrics = await train(backend, 1, [
      {
        groupId: 'g',
        role: 'agent',
        taskId: 't',
        trajectories: [createTrajectory({ name: 'agent', steps })],
        metadata: [],
      },
    ]);
    return { first, next, metrics };
  }

  test('trains as one sequence of the very ids that were sampled', async () => {
    const completions = [
      [...bytes('he'), END],
      [256, END],
    ];
    const { backend, sample, server } = await saying(completions, { options: { wire: 'json' } });
    const { first, next, metrics } = await twoTurns(backend, sample, user('more'));
    expect(next.promptIds.slice(0, first.promptIds.length + 3)).toEqual([
      ...first.promptIds,
      ...completions[0]!,
    ]);
    expect(metrics).toMatchObject({
      'batch/prefix_breaks': 0,
      'episode/rewritten_prompts': 0,
      'batch/merge_compression_ratio': 2,
    });
    const { data } = server.to('/forward_backward')[0]!.body!['forward_backward_input'] as {
      readonly data: readonly {
        readonly loss_fn_inputs: Record<string, { readonly data: readonly number[] }>;
      }[];
    };
    const sampled = data[0]!.loss_fn_inputs['target_tokens']!.data.filter(
      (_, i) => data[0]!.loss_fn_inputs['weights']!.data[i] === 1,
    );
    expect([data.length, sampled]).toEqual([1, completions.flat()]);
  });

  test('trains as two where the template drops the thinking, which is counted and warned of', async () => {
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (text: string) => void warnings.push(text) };
    const thought = [...bytes('<think>\nhm\n</think>\n\nyes'), END];
    const { backend, sample } = await saying([thought, [65, END]], { template: QWEN3, logger });
    const { metrics } = await twoTurns(backend, sample, user('more'));
    expect(metrics).toMatchObject({
      'batch/prefix_breaks': 1,
      'episode/rewritten_prompts': 1,
      'batch/merge_compression_ratio': 1,
      'batch/steps_per_traj/mean': 2,
    });
    expect(warnings).toEqual([expect.stringContaining('chat template rewrites earlier replies')]);
  });

  test('counts calls of tools that could not be read, once', async () => {
    const { backend, sample } = await saying(
      [[...bytes('<tool_call>{</tool_call>'), END], [END], [END], [END]],
      {
        template: QWEN3,
      },
    );
    await sample({ tools: [WEATHER] })([user('x')], { rolloutIndex: 7 });
    const { metrics } = await twoTurns(backend, sample, user('more'));
    expect(metrics['episode/malformed_tool_calls']).toBe(1);
  });
});
