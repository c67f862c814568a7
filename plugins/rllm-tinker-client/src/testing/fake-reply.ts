/** What an engine says to one request. */
export interface FakeReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is bytes or text. */
  readonly body?: unknown;
}

/** An answer of status 200. */
export const ok = (body: unknown): FakeReply => ({ status: 200, body });

/** FastAPI's way to refuse. */
export const refuse = (status: number, detail: string): FakeReply => ({ status, body: { detail } });

/** One request as the fake server saw it. */
export interface FakeRequest {
  readonly method: string;
  /** Below `/api/v1`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Uint8Array;
  /** The body as JSON; undefined when it is none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}
