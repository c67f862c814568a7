import type { Clock } from '../clock.js';
import { TinkerError } from '../errors.js';
import type { Credentials } from './credentials.js';
import { HttpAnswer } from './http-answer.js';

/** One HTTP request to the engine. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/api/v1`, such as `/optim_step`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
}

export interface HttpTransportOptions {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly credentials: Credentials;
  readonly clock: Clock;
}

/** Failures at which nothing can have reached the engine. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True when the engine may have got the request although no answer came. */
export function isUncertain(failure: unknown): boolean {
  if (!TinkerError.isInstance(failure)) return true;
  if (failure.status !== undefined) return false;
  if (failure.code === 'TIMED_OUT') return true;
  return failure.code === 'UNREACHABLE' && !NEVER_SENT.has(causeCode(failure.cause));
}

/** Sends one request once and gives back whatever answer comes. */
export class HttpTransport {
  /** Where all paths begin. */
  readonly root: string;
  readonly #options: HttpTransportOptions;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.root = `${options.baseUrl.replace(/\/+$/, '')}/api/v1`;
  }

  /**
   * @throws TinkerError UNREACHABLE without an answer, TIMED_OUT after `timeoutMs`, or the signal's reason.
   */
  async send(request: HttpRequest, timeoutMs: number, signal: AbortSignal): Promise<HttpAnswer> {
    signal.throwIfAborted();
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const cancelTimer = this.#options.clock.after(timeoutMs, () =>
      controller.abort(
        new TinkerError('TIMED_OUT', `${request.path} was not answered within ${timeoutMs} ms`, {
          retryable: true,
        }),
      ),
    );
    try {
      return await this.#exchange(request, controller.signal);
    } catch (thrown) {
      if (controller.signal.aborted) throw controller.signal.reason;
      throw this.#unreachable(request, thrown);
    } finally {
      cancelTimer();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { fetch, credentials } = this.#options;
    const { body } = request;
    const response = await fetch(this.root + request.path, {
      method: request.method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...credentials.headers(),
        ...request.headers,
      },
      ...(body === undefined ? {} : { body }),
      // A redirect would carry the key to another place.
      redirect: 'manual',
      signal,
    });
    return new HttpAnswer(response.status, response.headers, new Uint8Array(await response.arrayBuffer()));
  }

  #unreachable(request: HttpRequest, thrown: unknown): TinkerError {
    const code = causeCode(thrown);
    const said = this.#options.credentials.redact(thrown instanceof Error ? thrown.message : String(thrown));
    return new TinkerError(
      'UNREACHABLE',
      `${request.path} got no answer from ${this.#options.baseUrl}: ${said}${code === undefined ? '' : ` (${code})`}`,
      { cause: thrown, retryable: true },
    );
  }
}

/** The system's code of a failure, such as ECONNRESET, which `fetch` wraps. */
function causeCode(thrown: unknown, depth = 0): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || depth > 3) return undefined;
  const { code, cause } = thrown as { readonly code?: unknown; readonly cause?: unknown };
  return typeof code === 'string' ? code : causeCode(cause, depth + 1);
}
