import type { Json, OptionsGiven } from 'rllm-sdk';
import { z } from 'zod';

declare module 'rllm-sdk' {
  interface BackendOptionsMap {
    openai: OptionsGiven<OpenAIOptions>;
  }
}

/** `backend.options.openai`. */
export interface OpenAIOptions {
  /** Root of the API, `http://localhost:8000/v1`. */
  readonly baseURL: string;
  /** Name of the model; `null` takes the only one that the server has. */
  readonly model: string | null;
  /** Environment variable that holds the key; `null` sends none. */
  readonly apiKeyEnv: string | null;
  /** A call that takes longer is given up. Node itself waits no longer than five minutes for the first byte. */
  readonly timeoutMs: number;
  /** Further tries of a call after a failure that may pass: no connection, a time-out, 408, 409, 425, 429, 5xx, no JSON. */
  readonly maxRetries: number;
  /** Calls at once; the rest wait. */
  readonly maxConcurrency: number;
  /** Field that bounds a completion: OpenAI's newer models take the second alone, Ollama and others the first. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether token ids are asked for, and how; `auto` goes by what the server says it is. Read by the request and the response. */
  readonly tokenIds: TokenIds | 'auto';
  /** Field of an assistant's message in which its earlier reasoning is sent back; `null` leaves it out. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | null;
  /** Fields of the body besides, `{ "top_k": 20 }`; `null` takes out one that is sent otherwise, `{ "seed": null }`. */
  readonly extraBody: Readonly<Record<string, Json>>;
}

/** How a server is asked for token ids. */
export type TokenIds = 'vllm' | 'sglang' | 'none';

/** Fields that the backend alone decides: without them an answer could not be read. */
const OWN_FIELDS: readonly string[] = ['messages', 'model', 'stream', 'n', 'logprobs', 'return_token_ids'];

export const openaiOptions: z.ZodType<OpenAIOptions> = z.strictObject({
  baseURL: z
    .url({ protocol: /^https?$/ })
    .describe('Root of the API, for example "http://localhost:8000/v1".'),
  model: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('Name of the model; null takes the only one that the server has.'),
  apiKeyEnv: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('Environment variable that holds the key; null sends none.'),
  timeoutMs: z
    .int()
    .positive()
    .max(300_000)
    .default(300_000)
    .describe('A call that takes longer is given up.'),
  maxRetries: z
    .int()
    .nonnegative()
    .default(4)
    .describe('Further tries of a call after a failure that may pass.'),
  maxConcurrency: z.int().positive().default(64).describe('Calls at once; the rest wait.'),
  maxTokensField: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .default('max_tokens')
    .describe("Field that bounds a completion; OpenAI's newer models take max_completion_tokens alone."),
  tokenIds: z
    .enum(['auto', 'vllm', 'sglang', 'none'])
    .default('auto')
    .describe('How the server is asked for token ids; auto goes by what it says it is.'),
  reasoningField: z
    .enum(['reasoning_content', 'reasoning'])
    .nullable()
    .default(null)
    .describe('Field in which earlier reasoning is sent back; null leaves it out.'),
  extraBody: z
    .record(z.string(), z.json())
    .default({})
    .superRefine((body, context) => {
      for (const key of Object.keys(body).filter((key) => OWN_FIELDS.includes(key))) {
        context.addIssue({ code: 'custom', path: [key], message: 'this field is decided by the backend' });
      }
    })
    .describe('Fields of the body besides; null takes out one that is sent otherwise.'),
});
