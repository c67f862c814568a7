import { TinkerError } from '../errors.js';
import { type HoistedJson, hoistArrays } from '../wire/hoist-arrays.js';

/** What came back over HTTP, whole. */
export class HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  #json: Reading<unknown> | undefined;
  #hoisted: Reading<HoistedJson> | undefined;

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

  /** The body as JSON, read once; undefined when it is none. */
  jsonOrNothing(): unknown {
    return this.#readJson().value;
  }

  /** @throws TinkerError RESPONSE_INVALID when the body is no JSON. */
  json(): unknown {
    return this.#required(this.#readJson());
  }

  /** The body as JSON whose long arrays are still text, read once; undefined when it is none. */
  hoistedOrNothing(): HoistedJson | undefined {
    return this.#readHoisted().value;
  }

  /** @throws TinkerError RESPONSE_INVALID when the body is no JSON. */
  hoisted(): HoistedJson {
    return this.#required(this.#readHoisted());
  }

  #readJson(): Reading<unknown> {
    this.#json ??= reading(() => JSON.parse(this.text()) as unknown);
    return this.#json;
  }

  #readHoisted(): Reading<HoistedJson> {
    this.#hoisted ??= reading(() => hoistArrays(this.bytes));
    return this.#hoisted;
  }

  #required<T>(reading: Reading<T>): T {
    if (!('thrown' in reading)) return reading.value;
    throw new TinkerError(
      'RESPONSE_INVALID',
      `The engine answered ${this.status} with a body that is no JSON.`,
      { cause: reading.thrown, status: this.status },
    );
  }
}

type Reading<T> = { readonly value: T } | { readonly value?: undefined; readonly thrown: unknown };

function reading<T>(read: () => T): Reading<T> {
  try {
    return { value: read() };
  } catch (thrown) {
    return { thrown };
  }
}
