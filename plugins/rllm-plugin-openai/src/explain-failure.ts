import { RllmError } from 'rllm-sdk';
import { contextRoom } from './context-room.js';
import type { RequestFailure } from './request-failure.js';

/** What an explanation names. */
export interface FailurePlace {
  readonly baseURL: string;
  /** Environment variable of the key, `null` when none is sent. */
  readonly apiKeyEnv: string | null;
  readonly model: string;
}

/**
 * The coded error of a request that failed, with what to do.
 *
 * PROMPT_TOO_LONG for a prompt without room; BACKEND_FAILED for what every call would meet: a key or model that is refused, a
 * route that is not there; else `otherwise`.
 */
export function explainFailure(
  failed: RequestFailure,
  { baseURL, apiKeyEnv, model }: FailurePlace,
  otherwise: 'ROLLOUT_FAILED' | 'BACKEND_FAILED',
): RllmError {
  const { failure, message } = failed;
  const error = (code: RllmError['code'], text: string): RllmError =>
    new RllmError(code, text, { cause: failed, details: { baseURL, model, ...failure } });
  if (failure.kind === 'connection') {
    return error(
      otherwise,
      `The server at ${baseURL} cannot be reached (${message}): start it, or correct backend.options.openai.baseURL.`,
    );
  }
  if (failure.kind === 'timeout') {
    return error(
      otherwise,
      `The server at ${baseURL} gave ${message}: raise backend.options.openai.timeoutMs, or lower maxConcurrency.`,
    );
  }
  if (failure.kind === 'unreadable') {
    return error(otherwise, `The server at ${baseURL} is no OpenAI-compatible API: ${message}`);
  }
  const { status } = failure;
  if (status === 401 || status === 403) {
    const key = apiKeyEnv === null ? 'no key is sent' : `the key in ${apiKeyEnv}`;
    return error(
      'BACKEND_FAILED',
      `The server at ${baseURL} refuses access (${status}), ${key}: ${message}. Set backend.options.openai.apiKeyEnv to the environment variable that holds the right one.`,
    );
  }
  if (status === 404) {
    return error(
      'BACKEND_FAILED',
      `The server at ${baseURL} has no chat completions of the model "${model}" (404): ${message}. Correct backend.options.openai.model, or baseURL, which mostly ends in /v1.`,
    );
  }
  const isTooLong = status < 500 && contextRoom(message) !== undefined;
  if (isTooLong) return error('PROMPT_TOO_LONG', `The prompt leaves no room for a completion: ${message}`);
  return error(otherwise, `The server at ${baseURL} refused a call (${status}): ${message}`);
}
