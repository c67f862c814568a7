import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeEngine, type FakeEngineOptions } from './fake-engine.js';
import type { FakeReply, FakeRequest } from './fake-reply.js';

/** What happens to the next request of a path, in place of the engine's answer. */
export type FakeTurn =
  /** This answer; the engine sees nothing. */
  | FakeReply
  /** The connection breaks before the engine sees the request, or after it has executed it. */
  | 'reset'
  | 'reset-after'
  /** No answer for as long as the server runs. */
  | 'hang'
  /** The engine's own answer. */
  | 'pass'
  /** The engine's own answer, this much later. */
  | { readonly delayMs: number }
  /** Computed from the request; undefined leaves it to the engine. */
  | ((request: FakeRequest) => FakeReply | undefined);

export interface FakeTinkerOptions extends FakeEngineOptions {
  /** Added to every request; default 0. */
  readonly latencyMs?: number;
}

/**
 * A Tinker server on loopback for tests: an engine in memory that really learns, and a script that says when it should not behave.
 *
 * ```ts
 * await using server = await FakeTinker.start({ engine: 'tx' });
 * server.script('/retrieve_future', { status: 408 }, 'reset');
 * const service = new ServiceClient({ baseUrl: server.url });
 * ```
 */
export class FakeTinker {
  readonly engine: FakeEngine;
  /** Every request in the order of arrival. */
  readonly requests: FakeRequest[] = [];
  /** Requests of each path that were open at the same time, at most. */
  readonly mostAtOnce: Map<string, number> = new Map();
  readonly #server: Server;
  readonly #latencyMs: number;
  readonly #script = new Map<string, FakeTurn[]>();
  readonly #open = new Map<string, number>();

  private constructor(options: FakeTinkerOptions) {
    this.engine = new FakeEngine(options);
    this.#latencyMs = options.latencyMs ?? 0;
    this.#server = createServer((incoming, outgoing) => {
      void this.#serve(incoming, outgoing);
    });
  }

  static async start(options: FakeTinkerOptions = {}): Promise<FakeTinker> {
    const fake = new FakeTinker(options);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What the next requests of a path meet, one turn each; afterwards the engine answers again. */
  script(path: string, ...turns: readonly FakeTurn[]): void {
    this.#script.set(path, [...(this.#script.get(path) ?? []), ...turns]);
  }

  /** The requests of one path. */
  to(path: string): readonly FakeRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    this.requests.push(request);
    const { path } = request;
    const open = (this.#open.get(path) ?? 0) + 1;
    this.#open.set(path, open);
    this.mostAtOnce.set(path, Math.max(open, this.mostAtOnce.get(path) ?? 0));
    outgoing.once('close', () => this.#open.set(path, this.#open.get(path)! - 1));
    if (this.#latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#latencyMs));
    const reply = await this.#reply(request, this.#script.get(path)?.shift() ?? 'pass');
    if (reply === 'reset') incoming.socket.destroy();
    else if (reply !== 'hang') write(outgoing, reply);
  }

  async #reply(request: FakeRequest, turn: FakeTurn): Promise<FakeReply | 'reset' | 'hang'> {
    if (turn === 'reset' || turn === 'hang') return turn;
    if (turn === 'reset-after') {
      await this.engine.answer(request);
      return 'reset';
    }
    if (typeof turn === 'object' && 'status' in turn) return turn;
    if (typeof turn === 'object') await new Promise((resolve) => setTimeout(resolve, turn.delayMs));
    const own = typeof turn === 'function' ? turn(request) : undefined;
    return own ?? (await this.engine.answer(request));
  }
}

async function readRequest(incoming: IncomingMessage): Promise<FakeRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const url = new URL(incoming.url ?? '/', 'http://fake');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname.replace(/^\/api\/v1/, ''),
    query: url.searchParams,
    headers: incoming.headers,
    bytes,
    body: jsonOf(bytes),
  };
}

function jsonOf(bytes: Buffer): FakeRequest['body'] {
  try {
    return JSON.parse(bytes.toString()) as FakeRequest['body'];
  } catch {
    return undefined;
  }
}

function write(outgoing: ServerResponse, { status, headers = {}, body }: FakeReply): void {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
  outgoing.writeHead(status, { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers });
  outgoing.end(isRaw ? body : JSON.stringify(body));
}
