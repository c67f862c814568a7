import {
  type Logger,
  type ModelCall,
  type RllmConfigInput,
  RllmError,
  resolveConfig,
  SILENT,
} from 'rllm-sdk';
import { onTestFinished } from 'vitest';
import { OpenAIBackend } from '../src/openai-backend.js';
import { type OpenAIOptions, openaiOptions } from '../src/openai-options.js';

/** Options as the config gives them, without pauses between tries. */
export function optionsOf(given: Partial<OpenAIOptions> & { readonly baseURL: string }): OpenAIOptions {
  return openaiOptions.parse({ maxRetries: 0, ...given });
}

/** A backend that is shut down after the test. */
export function backendOf(
  given: Partial<OpenAIOptions> & { readonly baseURL: string },
  more: { readonly logger?: Logger; readonly config?: RllmConfigInput } = {},
): OpenAIBackend {
  const backend = new OpenAIBackend(optionsOf(given), {
    config: resolveConfig(more.config ?? {}),
    logger: more.logger ?? SILENT,
    signal: new AbortController().signal,
  });
  onTestFinished(() => backend.shutdown());
  return backend;
}

export async function started(
  ...given: Parameters<typeof backendOf>
): Promise<OpenAIBackend['rolloutEngine']> {
  const backend = backendOf(...given);
  await backend.start();
  return backend.rolloutEngine;
}

export function callOf(more: Partial<ModelCall> = {}): ModelCall {
  return {
    messages: [{ role: 'user', content: 'well?' }],
    sampling: { temperature: 0.7, topP: 0.9, maxTokens: 16 },
    identity: { mode: 'val', step: 3, taskId: 't', rolloutIndex: 1, attempt: 1, call: 0 },
    ...more,
  };
}

/** The RllmError that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<RllmError> {
  const thrown = await promise.then(
    () => new Error('nothing was thrown'),
    (error: unknown) => error,
  );
  if (RllmError.isInstance(thrown)) return thrown;
  throw thrown;
}
