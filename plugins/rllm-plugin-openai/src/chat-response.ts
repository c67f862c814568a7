import { type FinishReason, type ModelOutput, RllmError } from 'rllm-sdk';
import { z } from 'zod';
import type { TokenIds } from './openai-options.js';
import { callText, readToolCalls } from './tool-calls.js';

const ids = z.array(z.int().nonnegative()).nullish();

const chatResponse = z.looseObject({
  choices: z.tuple(
    [
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          // DeepSeek, SGLang and vLLM before 0.11 say the first, later vLLM, Ollama and OpenRouter the second.
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          tool_calls: z
            .array(
              z.looseObject({
                id: z.string().nullish(),
                function: z.looseObject({
                  name: z.string(),
                  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
                }),
              }),
            )
            .nullish(),
        }),
        token_ids: ids,
        prompt_token_ids: ids,
        logprobs: z
          .looseObject({ content: z.array(z.looseObject({ logprob: z.number() })).nullish() })
          .nullish(),
      }),
    ],
    z.unknown(),
  ),
  prompt_token_ids: ids,
  usage: z
    .looseObject({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() })
    .nullish(),
});

/** Tokens that the server has counted, 0 where it does not say. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/**
 * Reads the answer of `POST /chat/completions`.
 *
 * A server gives parts, not the text that was sampled: `text` is the reasoning, the content and each tool call as JSON, a line
 * each. Tool calls that cannot be parsed stand in `content`. Token ids are those that the server gave, else none; log-probs come
 * with ids alone, from vLLM, and are left out where their number is another.
 *
 * @param wanted  how token ids were asked for; `required` when the config says so, and the server must give them.
 * @throws RllmError ROLLOUT_FAILED when it is no chat completion, or required token ids are missing.
 */
export function readChatResponse(
  answer: unknown,
  wanted: { readonly tokenIds: TokenIds; readonly required: boolean },
): { readonly output: ModelOutput; readonly usage: Usage } {
  const parsed = chatResponse.safeParse(answer);
  if (!parsed.success) {
    throw new RllmError(
      'ROLLOUT_FAILED',
      `The server's answer is no chat completion (${z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ')}): ${start(answer)}`,
    );
  }
  const { choices, prompt_token_ids: promptOfAll, usage } = parsed.data;
  const [{ message, finish_reason: reason, token_ids: completionIds, logprobs, prompt_token_ids: own }] =
    choices;
  if (wanted.required && wanted.tokenIds !== 'none' && !completionIds) {
    throw new RllmError(
      'ROLLOUT_FAILED',
      `The server gave no token_ids, and backend.options.openai.tokenIds is "${wanted.tokenIds}": ${MENDS[wanted.tokenIds]}, or set it to "none".`,
    );
  }
  const { calls, malformed } = readToolCalls(message.tool_calls ?? []);
  const reasoning = message.reasoning_content || message.reasoning || undefined;
  const content = [message.content || message.refusal || '', ...malformed].filter(isFilled).join('\n');
  const callTexts = calls.map((call) => callText(call.name, JSON.stringify(call.arguments)));
  const found = completionIds ?? [];
  const values = wanted.tokenIds === 'vllm' ? (logprobs?.content ?? []).map(({ logprob }) => logprob) : [];
  return {
    output: {
      text: [reasoning ?? '', content, ...callTexts].filter(isFilled).join('\n'),
      content,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(calls.length === 0 ? {} : { toolCalls: calls }),
      promptIds: own ?? promptOfAll ?? [],
      completionIds: found,
      logprobs: values.length === found.length ? values : [],
      finishReason: finishReason(reason, calls.length > 0),
    },
    usage: { promptTokens: usage?.prompt_tokens ?? 0, completionTokens: usage?.completion_tokens ?? 0 },
  };
}

const MENDS: Readonly<Record<Exclude<TokenIds, 'none'>, string>> = {
  vllm: 'vLLM gives them from 0.10.2 on',
  sglang: 'update SGLang',
};

/**
 * `content_filter`, and `abort` of SGLang, mean that the server cut the completion off: `abort`. Any other word than those of
 * the API is taken for `stop`, and so is `tool_calls` where no call could be parsed.
 */
function finishReason(reason: string | null | undefined, hasCalls: boolean): FinishReason {
  switch (reason) {
    case 'length':
      return 'length';
    case 'content_filter':
    case 'abort':
      return 'abort';
    default:
      // Some servers say "stop" beside tool calls.
      return hasCalls ? 'tool_calls' : 'stop';
  }
}

const isFilled = (text: string): boolean => text !== '';

function start(answer: unknown): string {
  const text = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? String(answer));
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
