import { backendContract } from 'rllm-sdk/testing';
import { test } from 'vitest';
import { openaiBackend } from '../src/index.js';
import { answer, completion, failure, fakeServer } from './fake-server.js';

/** A server that speaks as vLLM does: tokens are words, and at most a hundred of them fit. */
const CONTEXT = 100;

/** The contract with token ids and log-probs, and without: what is claimed differs. */
const vllm = { baseURL: 'http://127.0.0.1:1/v1', model: 'tiny', tokenIds: 'vllm', maxRetries: 0 };
const plain = { ...vllm, tokenIds: 'none' };

for (const options of [vllm, plain]) {
  for (const { name } of backendContract(openaiBackend, { options })) {
    test(`token ids by ${options.tokenIds}: ${name}`, async () => {
      const { baseURL } = await fakeServer({
        models: [{ id: 'tiny', owned_by: 'vllm' }],
        chat(request, response) {
          const { messages, max_tokens, return_token_ids, seed } = request.body as {
            readonly messages: readonly { readonly content: string }[];
            readonly max_tokens: number;
            readonly return_token_ids?: boolean;
            readonly seed: number;
          };
          const words = messages.flatMap(({ content }) => content.split(' '));
          if (words.length >= CONTEXT) {
            const message = `This model's maximum context length is ${CONTEXT} tokens. However, your request has ${words.length} input tokens.`;
            const refuse = failure(400, message);
            if (typeof refuse === 'function') refuse(request, response);
            return;
          }
          const ids = Array.from({ length: max_tokens }, (_, t) => (seed + t) % 7);
          const tokens = return_token_ids
            ? { token_ids: ids, logprobs: { content: ids.map((id) => ({ logprob: -id / 8 })) } }
            : {};
          const root = return_token_ids ? { prompt_token_ids: words.map(({ length }) => length) } : {};
          answer(response, completion(`said ${ids.join(' ')}`, { finish_reason: 'length', ...tokens }, root));
        },
      });
      const checks = backendContract(openaiBackend, { options: { ...options, baseURL } });
      await checks.find((check) => check.name === name)?.run();
    });
  }
}
