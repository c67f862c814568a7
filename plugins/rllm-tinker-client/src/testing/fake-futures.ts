import { type FakeReply, type FakeRequest, ok, refuse } from './fake-reply.js';

/** What an operation came to. */
export type FakeResult =
  | { readonly value: unknown; readonly toProtobuf?: () => Uint8Array }
  | { readonly error: string; readonly category: 'user' | 'server' | 'unknown' };

export interface FakeFuturesOptions {
  /** How failures are told: with status 200 and an `error`, or with status 400 and a `detail`. */
  readonly isTx: boolean;
  readonly hasProtobuf: boolean;
  /** Results come this long after the request; default at once. */
  readonly resultDelayMs: number;
  /** How long a poll is held before it is told to try again. */
  readonly holdMs: number;
}

/** The results that clients poll for. */
export class FakeFutures {
  readonly #options: FakeFuturesOptions;
  readonly #futures = new Map<string, { readonly readyAt: number; readonly result: FakeResult }>();
  #next = 1;

  constructor(options: FakeFuturesOptions) {
    this.#options = options;
  }

  /** Number of results made. */
  get size(): number {
    return this.#futures.size;
  }

  add(result: FakeResult): string {
    const id = String(this.#next++);
    this.#futures.set(id, { readyAt: performance.now() + this.#options.resultDelayMs, result });
    return id;
  }

  async poll(request: FakeRequest): Promise<FakeReply> {
    const id = String(request.body?.['request_id']);
    const future = this.#futures.get(id);
    if (future === undefined) return refuse(404, 'Future not found');
    const left = future.readyAt - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(left, this.#options.holdMs)));
    if (left > this.#options.holdMs) {
      return this.#options.isTx
        ? refuse(408, 'Timeout waiting for result')
        : ok({ type: 'try_again', request_id: id, queue_state: 'active', queue_state_reason: null });
    }
    return this.#reply(future.result, String(request.headers['accept']));
  }

  #reply(result: FakeResult, accept: string): FakeReply {
    if ('error' in result) {
      return this.#options.isTx
        ? refuse(400, result.error)
        : ok({ error: result.error, category: result.category });
    }
    if (this.#options.hasProtobuf && result.toProtobuf !== undefined && accept.includes('protobuf')) {
      return {
        status: 200,
        headers: { 'content-type': 'application/x-protobuf' },
        body: result.toProtobuf(),
      };
    }
    return ok(result.value);
  }
}
