import type { BackendContext, BackendDefinition, RllmConfig } from 'rllm-sdk';
import { apiKeyOf } from './api-key.js';
import { OpenAIBackend } from './openai-backend.js';
import { type OpenAIOptions, openaiOptions } from './openai-options.js';

/** `backend.name: "openai"`, options under `backend.options.openai`. */
export const openaiBackend: BackendDefinition = {
  name: 'openai',
  summary: 'Samples from any OpenAI-compatible server, for rollouts and evaluation; trains nothing.',
  options: openaiOptions,
  check: (_config: RllmConfig, options: unknown) => keyFaults(options as OpenAIOptions),
  create: (options: unknown, context: BackendContext) => new OpenAIBackend(options as OpenAIOptions, context),
};

function keyFaults(options: OpenAIOptions): readonly { readonly path: string; readonly message: string }[] {
  const { apiKeyEnv } = options;
  if (apiKeyEnv === null || apiKeyOf(options) !== undefined) return [];
  const problem = process.env[apiKeyEnv] === undefined ? 'is not set' : 'is empty';
  return [
    {
      path: 'backend.options.openai.apiKeyEnv',
      message: `the environment variable ${apiKeyEnv}, which holds the key, ${problem}`,
    },
  ];
}
