import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from 'rllm-sdk';
import { RequestFailure } from './request-failure.js';

export interface HttpClientOptions {
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

/** A server that asks for a longer pause than this is asked again after it all the same. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * JSON over HTTP with deadlines and retries.
 *
 * Not the `openai` package: it loses the messages of servers that answer `{ "message": … }` in place of
 * `{ "error": { "message": … } }`, as SGLang does; its pauses between tries cannot be aborted and are as long as the server
 * likes; and its deadline ends with the first byte.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /**
   * @throws RequestFailure when every try has failed, or the first that is not worth another.
   * @throws the signal's reason when it fires, between tries too.
   */
  async request(path: string, body: Json | undefined, signal: AbortSignal): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      let retryAfterMs: number | undefined;
      try {
        return await this.#once(path, body, signal, (ms) => {
          retryAfterMs = ms;
        });
      } catch (thrown) {
        signal.throwIfAborted();
        const isLast = attempt >= this.#options.maxRetries;
        if (isLast || !(thrown instanceof RequestFailure) || !thrown.isPassing) throw thrown;
      }
      const pauseMs = retryAfterMs ?? Math.min(500 * 2 ** attempt, 8000) * (1 - Math.random() / 4);
      await delay(Math.min(pauseMs, LONGEST_PAUSE_MS), undefined, { signal }).catch(() =>
        signal.throwIfAborted(),
      );
    }
  }

  async #once(
    path: string,
    body: Json | undefined,
    signal: AbortSignal,
    onRetryAfter: (ms: number | undefined) => void,
  ): Promise<unknown> {
    const { baseURL, apiKey, timeoutMs } = this.#options;
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(`${baseURL.replace(/\/+$/, '')}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, deadline]),
      });
      const text = await response.text();
      if (response.ok) return parse(text);
      onRetryAfter(retryAfterOf(response.headers));
      throw new RequestFailure(
        { kind: 'status', status: response.status },
        this.#withoutKey(messageIn(text) || response.statusText),
      );
    } catch (thrown) {
      if (thrown instanceof RequestFailure) throw thrown;
      if (deadline.aborted) {
        throw new RequestFailure({ kind: 'timeout' }, `no answer within ${timeoutMs} ms`, thrown);
      }
      throw new RequestFailure({ kind: 'connection' }, this.#withoutKey(reasonOf(thrown)), thrown);
    }
  }

  /** Some servers repeat the key that they refuse. */
  #withoutKey(message: string): string {
    const { apiKey } = this.#options;
    return apiKey === undefined ? message : message.replaceAll(apiKey, '***');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RequestFailure({ kind: 'unreadable' }, `the answer is no JSON: ${start(text)}`, cause);
  }
}

/** Seconds, or a date (RFC 9110 §10.2.3); `retry-after-ms` is OpenAI's finer form. What is neither is as if it were not there. */
function retryAfterOf(headers: Headers): number | undefined {
  const ms = numberIn(headers.get('retry-after-ms'));
  if (ms >= 0) return ms;
  const after = headers.get('retry-after') ?? '';
  const seconds = numberIn(after);
  if (!Number.isNaN(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(after) - Date.now();
  return Number.isNaN(date) ? undefined : Math.max(0, date);
}

/** `Number` would read a blank text as 0. */
function numberIn(text: string | null): number {
  return text === null || text.trim() === '' ? Number.NaN : Number(text);
}

/** The message of an error's body: OpenAI's, SGLang's, FastAPI's form, or the text itself. */
function messageIn(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return start(text);
  }
  for (const path of [['error', 'message'], ['message'], ['error'], ['detail']]) {
    const found = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value);
    if (typeof found === 'string' && found !== '') return found;
  }
  return start(text);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message || code || cause.name;
}

function start(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
