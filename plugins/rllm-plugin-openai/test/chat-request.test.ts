import { expect, test } from 'vitest';
import { chatRequest } from '../src/chat-request.js';
import { callOf, optionsOf } from './support.js';

const options = optionsOf({ baseURL: 'http://localhost/v1' });

test('sampling is mapped to the names of the API', () => {
  expect(chatRequest(callOf(), 'tiny', 7, options, 'none')).toEqual({
    model: 'tiny',
    messages: [{ role: 'user', content: 'well?' }],
    temperature: 0.7,
    top_p: 0.9,
    max_tokens: 16,
    seed: 7,
  });
});

test('a conversation with tools goes back and forth without loss', () => {
  const call = callOf({
    messages: [
      { role: 'system', content: 'Add.' },
      {
        role: 'assistant',
        content: '',
        reasoning: 'I need a sum.',
        toolCalls: [{ id: 'c1', name: 'add', arguments: { a: 1, b: [2] } }],
      },
      { role: 'tool', content: '3', toolCallId: 'c1' },
    ],
    sampling: {
      temperature: 0,
      topP: 1,
      maxTokens: 4,
      stop: ['\n'],
      tools: [{ name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } }],
    },
  });
  const body = chatRequest(call, 'tiny', 0, { ...options, reasoningField: 'reasoning' }, 'none');
  expect(body['stop']).toEqual(['\n']);
  expect(body['tools']).toEqual([
    {
      type: 'function',
      function: { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } },
    },
  ]);
  expect(body['messages']).toEqual([
    { role: 'system', content: 'Add.' },
    {
      role: 'assistant',
      content: '',
      reasoning: 'I need a sum.',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":[2]}' } }],
    },
    { role: 'tool', content: '3', tool_call_id: 'c1' },
  ]);
});

test('earlier reasoning stays here unless a field is named for it', () => {
  const call = callOf({ messages: [{ role: 'assistant', content: 'a', reasoning: 'b' }] });
  expect(chatRequest(call, 'tiny', 0, options, 'none')['messages']).toEqual([
    { role: 'assistant', content: 'a' },
  ]);
});

test('extra fields are added, and null takes one out', () => {
  const extraBody = { top_k: 20, seed: null, temperature: null };
  const body = chatRequest(callOf(), 'tiny', 7, { ...options, extraBody }, 'none');
  expect(body).toMatchObject({ top_k: 20, top_p: 0.9 });
  expect(Object.keys(body)).not.toContain('seed');
  expect(Object.keys(body)).not.toContain('temperature');
});

test.each([
  { tokenIds: 'vllm', fields: { return_token_ids: true, logprobs: true } },
  { tokenIds: 'sglang', fields: { return_token_ids: true, return_prompt_token_ids: true } },
] as const)('$tokenIds is asked for token ids in its own words', ({ tokenIds, fields }) => {
  expect(chatRequest(callOf(), 'tiny', 7, options, tokenIds)).toMatchObject(fields);
});

test('the bound of a completion has the name that the server knows', () => {
  const body = chatRequest(
    callOf(),
    'tiny',
    7,
    { ...options, maxTokensField: 'max_completion_tokens' },
    'none',
  );
  expect(body).toMatchObject({ max_completion_tokens: 16 });
  expect(Object.keys(body)).not.toContain('max_tokens');
});

test.each(['messages', 'stream', 'n'])('the extra field %s is refused', (key) => {
  expect(() => optionsOf({ baseURL: 'http://localhost/v1', extraBody: { [key]: 1 } })).toThrow(
    'decided by the backend',
  );
});
