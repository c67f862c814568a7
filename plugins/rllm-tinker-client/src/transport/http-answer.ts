import { TinkerError } from '../errors.js';

/** What came back over HTTP, whole. */
export class HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  #parsed: Parsed | undefined;

  constructor(status: number, headers: Headers, bytes: Uint8Array) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }

  get isProtobuf(): boolean {
    return this.headers.get('content-type')?.includes('protobuf') === true;
  }

  text(): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString('utf8');
  }

  /** The body as JSON, parsed once; undefined when it is none. */
  jsonOrNothing(): unknown {
    this.#parsed ??= parse(this.text());
    return 'value' in this.#parsed ? this.#parsed.value : undefined;
  }

  /** @throws TinkerError RESPONSE_INVALID when the body is no JSON. */
  json(): unknown {
    this.#parsed ??= parse(this.text());
    if ('value' in this.#parsed) return this.#parsed.value;
    throw new TinkerError(
      'RESPONSE_INVALID',
      `The engine answered ${this.status} with a body that is no JSON.`,
      { cause: this.#parsed.thrown, status: this.status },
    );
  }
}

type Parsed = { readonly value: unknown } | { readonly thrown: unknown };

function parse(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (thrown) {
    return { thrown };
  }
}
