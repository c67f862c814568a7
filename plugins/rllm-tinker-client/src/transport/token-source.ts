import type { Clock } from '../clock.js';
import { messageOf, TinkerError } from '../errors.js';
import type { TinkerLogger } from '../logger.js';
import type { Credentials } from './credentials.js';
import type { HttpTransport } from './http-transport.js';
import type { Lifetime } from './lifetime.js';
import { statusError } from './status-error.js';

/** A token is replaced this long before it runs out. */
const EARLY_MS = 300_000;
/** With less than this left, a call waits for the new token rather than going on with the old. */
const LEAST_MS = 60_000;
/** After a failed renewal, the next one is tried this much later. */
const AGAIN_MS = 30_000;
const TIMEOUT_MS = 30_000;

export interface TokenSourceOptions {
  readonly transport: HttpTransport;
  readonly credentials: Credentials;
  readonly lifetime: Lifetime;
  readonly clock: Clock;
  readonly logger: TinkerLogger;
}

/** Where the engine asks for it, keeps a short-lived token in place of the key. Does nothing until `start` was called. */
export class TokenSource {
  readonly #options: TokenSourceOptions;
  #due = Number.POSITIVE_INFINITY;
  #usableUntil = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | undefined;

  constructor(options: TokenSourceOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#due = Number.NEGATIVE_INFINITY;
    await this.refresh();
  }

  /** Gets a new token if the present one runs out soon; calls at the same time share one request. */
  async refresh(): Promise<void> {
    if (this.#options.clock.now() < this.#due) return;
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined;
    });
    await this.#pending;
  }

  async #renew(): Promise<void> {
    const { clock, logger } = this.#options;
    try {
      await this.#fetchToken();
    } catch (failure) {
      if (clock.now() >= this.#usableUntil) throw failure;
      this.#due = clock.now() + AGAIN_MS;
      logger.warn(`the token could not be renewed yet: ${messageOf(failure)}`);
    }
  }

  async #fetchToken(): Promise<void> {
    const { transport, credentials, lifetime, clock } = this.#options;
    const headers = credentials.keyHeaders();
    const request = { method: 'POST', path: '/auth/token', headers, body: '{}' } as const;
    const answer = await lifetime.within(undefined, ({ signal }) =>
      transport.send(request, TIMEOUT_MS, signal),
    );
    if (answer.status !== 200) throw statusError(request.path, answer, (text) => credentials.redact(text));
    const { jwt } = answer.json() as { readonly jwt?: unknown };
    const lifetimeMs = typeof jwt === 'string' ? lifetimeOf(jwt) : undefined;
    if (typeof jwt !== 'string' || lifetimeMs === undefined) {
      throw new TinkerError(
        'RESPONSE_INVALID',
        `${request.path} did not answer with a token that has a time to end.`,
      );
    }
    credentials.useToken(jwt);
    this.#due = clock.now() + Math.max(lifetimeMs - EARLY_MS, lifetimeMs / 2);
    this.#usableUntil = clock.now() + lifetimeMs - LEAST_MS;
  }
}

/** Time until the `exp` claim of a JWT, in ms; undefined when it has none. */
function lifetimeOf(jwt: string): number | undefined {
  try {
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly exp?: unknown;
    };
    return typeof claims.exp === 'number' ? claims.exp * 1000 - Date.now() : undefined;
  } catch {
    return undefined;
  }
}
