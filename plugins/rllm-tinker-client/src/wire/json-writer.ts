import { LONGEST_NUMBER, writeFloat32, writeNatural } from './number-text.js';

const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;

/**
 * Writes JSON text as bytes. Arrays of numbers go digit by digit into the buffer, several times faster than through strings; the rest is
 * `JSON.stringify`.
 */
export class JsonWriter {
  #bytes: Buffer<ArrayBuffer>;
  #length = 0;
  /** The array of integers written last, and where its text is. */
  #integers: { readonly values: ArrayLike<number>; readonly from: number; readonly to: number } = {
    values: [],
    from: 0,
    to: 0,
  };

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(capacity, 1024));
  }

  /** Appends text as it is; it must be ASCII. */
  text(text: string): this {
    this.#reserve(text.length);
    this.#length += this.#bytes.write(text, this.#length, 'latin1');
    return this;
  }

  /** Appends any JSON value. */
  value(value: unknown): this {
    const text = JSON.stringify(value);
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
    return this;
  }

  /**
   * Appends `[1,2,3]`. The numbers must be integers from 0 to 2³¹ − 1.
   *
   * Targets are the input moved by one: most of their text is then copied from the array written before.
   */
  integers(values: ArrayLike<number>): this {
    this.#reserve(values.length * 11 + 2);
    const start = this.#length;
    if (isNext(values, this.#integers.values)) this.#writeNext(values);
    else this.#writeIntegers(values);
    this.#integers = { values, from: start, to: this.#length };
    return this;
  }

  /** Appends `[0.5,-1.25]` with each number as single precision. The numbers must be finite. */
  floats(values: ArrayLike<number>): this {
    this.#reserve(values.length * LONGEST_NUMBER + 2);
    const bytes: Uint8Array = this.#bytes;
    let at = this.#length;
    bytes[at++] = OPEN;
    for (let i = 0; i < values.length; ) {
      const value = Math.fround(values[i]!);
      let next = i + 1;
      // Masks and advantages are runs of one value.
      while (next < values.length && Math.fround(values[next]!) === value) next++;
      const from = at;
      at = writeFloat32(bytes, at, value);
      bytes[at++] = COMMA;
      at = repeat(bytes, from, at, next - i);
      i = next;
    }
    if (values.length === 0) at++;
    bytes[at - 1] = CLOSE;
    this.#length = at;
    return this;
  }

  /** What was written; the writer must not be used afterwards. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  #writeIntegers(values: ArrayLike<number>): void {
    const bytes: Uint8Array = this.#bytes;
    let at = this.#length;
    bytes[at++] = OPEN;
    for (let i = 0; i < values.length; i++) {
      if (i > 0) bytes[at++] = COMMA;
      at = writeNatural(bytes, at, values[i]!);
    }
    bytes[at++] = CLOSE;
    this.#length = at;
  }

  /** `[1,2,3]` after `[0,1,2]`: all but the last number stand there already. */
  #writeNext(values: ArrayLike<number>): void {
    const bytes = this.#bytes;
    const { from, to } = this.#integers;
    const second = bytes.indexOf(COMMA, from) + 1;
    let at = this.#length;
    bytes[at++] = OPEN;
    bytes.copyWithin(at, second, to - 1);
    at += to - 1 - second;
    bytes[at++] = COMMA;
    at = writeNatural(bytes, at, values[values.length - 1]!);
    bytes[at++] = CLOSE;
    this.#length = at;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + more));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Whether `values` is `before` moved by one, with one new number at its end. */
function isNext(values: ArrayLike<number>, before: ArrayLike<number>): boolean {
  if (values.length !== before.length || values.length < 2) return false;
  for (let i = 0; i + 1 < values.length; i++) if (values[i] !== before[i + 1]) return false;
  return true;
}

/** Repeats what stands at `from` up to `to`, so that it stands there `times` in all. @returns the place after it */
function repeat(bytes: Uint8Array, from: number, to: number, times: number): number {
  const end = from + (to - from) * times;
  for (let at = to; at < end; at += at - from) bytes.copyWithin(at, from, Math.min(at, from + end - at));
  return end;
}
