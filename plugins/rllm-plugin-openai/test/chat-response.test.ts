import { describe, expect, test } from 'vitest';
import { readChatResponse } from '../src/chat-response.js';
import { completion } from './fake-server.js';

const read = (answer: unknown, tokenIds: 'vllm' | 'sglang' | 'none' = 'none', required = false) =>
  readChatResponse(answer, { tokenIds, required }).output;

const toolCall = (argumentsText: unknown, id: string | null = 'c1') => ({
  id,
  type: 'function',
  function: { name: 'add', arguments: argumentsText },
});

test('without token ids there are none, and no log-probs', () => {
  expect(read(completion('hello'))).toEqual({
    text: 'hello',
    content: 'hello',
    promptIds: [],
    completionIds: [],
    logprobs: [],
    finishReason: 'stop',
  });
});

test('tokens that the server counted are told', () => {
  const wanted = { tokenIds: 'none', required: false } as const;
  expect(readChatResponse(completion('hello'), wanted).usage).toEqual({
    promptTokens: 3,
    completionTokens: 2,
  });
  expect(readChatResponse(completion('hello', {}, { usage: null }), wanted).usage).toEqual({
    promptTokens: 0,
    completionTokens: 0,
  });
});

test.each(['reasoning_content', 'reasoning'])('%s is kept apart from the answer', (field) => {
  expect(read(completion('4', { message: { [field]: '2 + 2' } }))).toMatchObject({
    reasoning: '2 + 2',
    content: '4',
    text: '2 + 2\n4',
  });
});

describe('tool calls', () => {
  test('are parsed, with an id for those that have none', () => {
    const calls = [toolCall('{"a": 1}'), toolCall({ a: 2 }, null), toolCall('')];
    expect(read(completion(null, { finish_reason: 'tool_calls', message: { tool_calls: calls } }))).toEqual({
      text: '{"name": "add", "arguments": {"a":1}}\n{"name": "add", "arguments": {"a":2}}\n{"name": "add", "arguments": {}}',
      content: '',
      toolCalls: [
        { id: 'c1', name: 'add', arguments: { a: 1 } },
        { id: 'call_1', name: 'add', arguments: { a: 2 } },
        { id: 'c1', name: 'add', arguments: {} },
      ],
      promptIds: [],
      completionIds: [],
      logprobs: [],
      finishReason: 'tool_calls',
    });
  });

  test.each(['{"a": 1', '[1]', '"a"', 'null'])(
    'with the arguments %s are the text that they are',
    (given) => {
      const answer = completion('so:', {
        finish_reason: 'tool_calls',
        message: { tool_calls: [toolCall(given)] },
      });
      const output = read(answer);
      expect(output.content).toBe(`so:\n{"name": "add", "arguments": ${given}}`);
      expect(output.toolCalls).toBeUndefined();
      expect(output.finishReason).toBe('stop');
    },
  );
});

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'abort'],
  ['abort', 'abort'],
  ['eos_token', 'stop'],
  [null, 'stop'],
])('the finish reason %s is %s', (given, expected) => {
  expect(read(completion('x', { finish_reason: given })).finishReason).toBe(expected);
});

describe('token ids', () => {
  const logprobs = (...values: number[]) => ({ content: values.map((logprob) => ({ token: 'x', logprob })) });

  test('of vLLM: the prompt’s at the root, the completion’s at the choice, with log-probs', () => {
    const answer = completion(
      'hi',
      { token_ids: [5, 2], logprobs: logprobs(-0.5, -0.25) },
      { prompt_token_ids: [1, 2, 3] },
    );
    expect(read(answer, 'vllm', true)).toMatchObject({
      promptIds: [1, 2, 3],
      completionIds: [5, 2],
      logprobs: [-0.5, -0.25],
    });
  });

  test('of SGLang: both at the choice, and no log-probs', () => {
    const answer = completion('hi', { token_ids: [5, 2], prompt_token_ids: [1], logprobs: logprobs(-1, -1) });
    expect(read(answer, 'sglang', true)).toMatchObject({
      promptIds: [1],
      completionIds: [5, 2],
      logprobs: [],
    });
  });

  test('log-probs of another number than the tokens are left out', () => {
    const answer = completion('hi', { token_ids: [5, 2], logprobs: logprobs(-1) });
    expect(read(answer, 'vllm').logprobs).toEqual([]);
  });

  test('that the config asks for and the server does not give are an error', () => {
    expect(() => read(completion('hi'), 'vllm', true)).toThrow(/no token_ids.*0\.10\.2.*"none"/);
    expect(read(completion('hi'), 'vllm', false).completionIds).toEqual([]);
  });
});

test.each([
  ['no choices', { choices: [] }],
  ['another object', { object: 'list', data: [] }],
  ['a text', 'hello'],
  ['nothing', null],
])('%s is no chat completion', (_what, answer) => {
  expect(() => read(answer)).toThrow('no chat completion');
});
