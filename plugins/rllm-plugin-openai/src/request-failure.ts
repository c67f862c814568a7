/** Why a request got no usable answer. */
export type FailureKind =
  /** The server answered with a status of failure. */
  | { readonly kind: 'status'; readonly status: number }
  /** No connection, or it broke. */
  | { readonly kind: 'connection' }
  | { readonly kind: 'timeout' }
  /** A status of success, and no JSON. */
  | { readonly kind: 'unreadable' };

/** What a request throws when the server is at fault; `message` is the server's own where it gave one. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  readonly failure: FailureKind;

  constructor(failure: FailureKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }

  /** Whether another try may succeed. */
  get isPassing(): boolean {
    const { failure } = this;
    if (failure.kind !== 'status') return true;
    return failure.status >= 500 || PASSING.has(failure.status);
  }
}

const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);
