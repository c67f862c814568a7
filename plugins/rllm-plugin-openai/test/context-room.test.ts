import { expect, test } from 'vitest';
import { contextRoom } from '../src/context-room.js';

test.each([
  {
    from: 'OpenAI',
    message:
      "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
    room: 3097,
  },
  {
    from: 'vLLM',
    message:
      "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is 4096 tokens and your request has 1000 input tokens (4000 > 4096 - 1000).",
    room: 3096,
  },
  {
    from: 'later vLLM',
    message:
      "This model's maximum context length is 4096 tokens. However, you requested 4000 output tokens and your prompt contains at least 97 input tokens, for a total of at least 4097 tokens.",
    room: 3999,
  },
  {
    from: 'SGLang',
    message:
      "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 1000 tokens from the input messages and 4000 tokens for the completion.",
    room: 3096,
  },
  {
    from: 'vLLM, of a prompt that is too long by itself',
    message:
      'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    room: 0,
  },
  {
    from: 'SGLang, of a prompt that is too long by itself',
    message: "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    room: 0,
  },
  {
    from: 'a prompt beyond the limit',
    message:
      "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.",
    room: 0,
  },
])('$from: room for $room tokens', ({ message, room }) => {
  expect(contextRoom(message)).toEqual({ room });
});

test('a refusal of something else says nothing of it', () => {
  expect(contextRoom("Unknown parameter: 'top_k'.")).toBeUndefined();
});
