import type { Json, Message, ModelCall } from 'rllm-sdk';
import type { OpenAIOptions, TokenIds } from './openai-options.js';

type Body = Record<string, Json | undefined>;

/**
 * The body of `POST /chat/completions` for one model call.
 *
 * @param seed  of the call alone, so that equal calls give equal completions where the server heeds it.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function chatRequest(
  call: Pick<ModelCall, 'messages' | 'sampling'>,
  model: string,
  seed: number,
  options: Pick<OpenAIOptions, 'extraBody' | 'maxTokensField' | 'reasoningField'>,
  tokenIds: TokenIds,
): Readonly<Record<string, Json>> {
  const { temperature, topP, maxTokens, stop, tools } = call.sampling;
  const body: Body = {
    model,
    messages: call.messages.map((message) => chatMessage(message, options.reasoningField)),
    temperature,
    top_p: topP,
    [options.maxTokensField]: maxTokens,
    seed,
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    ...(tools === undefined || tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: plain(tool) })) }),
    ...TOKEN_FIELDS[tokenIds],
    ...options.extraBody,
  };
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) =>
      value === undefined || value === null ? [] : [[key, value]],
    ),
  );
}

/**
 * What makes a server tell token ids. SGLang is not asked for log-probs: it divides logits by the temperature first, and a
 * `ModelOutput` has them at temperature 1.
 */
const TOKEN_FIELDS: Readonly<Record<TokenIds, Body>> = {
  // https://docs.vllm.ai/en/latest/api/vllm/entrypoints/openai/protocol.html, since 0.10.2
  vllm: { return_token_ids: true, logprobs: true },
  // python/sglang/srt/entrypoints/openai/protocol.py
  sglang: { return_token_ids: true, return_prompt_token_ids: true },
  none: {},
};

function chatMessage(
  { role, content, reasoning, toolCalls, toolCallId }: Message,
  reasoningField: OpenAIOptions['reasoningField'],
): Json {
  return {
    role,
    content,
    ...(reasoning === undefined || reasoningField === null ? {} : { [reasoningField]: reasoning }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(toolCalls === undefined || toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(given) },
          })),
        }),
  };
}

/** A JSON Schema is JSON, which its type leaves open. */
function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
