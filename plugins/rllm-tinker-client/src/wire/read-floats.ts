/** Powers of ten that are exact in a double. */
const POWERS = Float64Array.from({ length: 23 }, (_, n) => Number(`1e${n}`));
const LARGEST_POWER = 22;
/** Digits that are read from the first one behind the point on, or from the first that is not zero. */
const READ_DIGITS = 12;
/** Bound of the relative error of what is read: the digits left out make less than 1e-11, roundings less than 1e-14. */
const DOUBT = 2e-11;
/** Bytes that a number takes at least, mostly: a guess to start with. */
const FEW_BYTES = 8;

const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const LOWER_E = 101;
const UPPER_E = 69;

/**
 * Reads `1.5,-2.25e-3` as single precision, each number rounded to the nearest float32, without making doubles of all their digits. A
 * number that is too near to the middle between two float32 to be sure of takes the slow way.
 *
 * @returns undefined when there is anything but numbers, commas and spaces between them
 */
export function readFloats(bytes: Uint8Array, from: number, to: number): Float32Array | undefined {
  return readAll(new FloatReader(bytes, from, to), to - from);
}

/**
 * The same for numbers that are float32 to begin with, whatever they are written as.
 *
 * @returns undefined when one of them is not, by its first twelve digits
 */
export function readSingles(bytes: Uint8Array, from: number, to: number): Float32Array | undefined {
  const reader = new FloatReader(bytes, from, to);
  const numbers = readAll(reader, to - from);
  return reader.areSingles ? numbers : undefined;
}

/** @param length  of the text, in bytes */
function readAll(reader: FloatReader, length: number): Float32Array | undefined {
  if (length <= 0) return new Float32Array(0);
  let numbers = new Float32Array(Math.ceil(length / FEW_BYTES));
  let count = 0;
  do {
    const value = reader.read();
    if (Number.isNaN(value)) return undefined;
    if (count === numbers.length) {
      const grown = new Float32Array(2 * count);
      grown.set(numbers);
      numbers = grown;
    }
    numbers[count++] = value;
  } while (reader.passComma());
  return reader.isAtEnd ? numbers.slice(0, count) : undefined;
}

class FloatReader {
  readonly #bytes: Uint8Array;
  readonly #words: DataView;
  readonly #to: number;
  /** From here on there are no four bytes. */
  readonly #lastWord: number;
  #at: number;
  /** Whether every number so far was a float32. */
  areSingles = true;

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#to = to;
    this.#lastWord = to - 3;
    this.#at = from;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#to;
  }

  /** Goes behind a comma. @returns false where there is none */
  passComma(): boolean {
    if (this.#at >= this.#to || this.#bytes[this.#at] !== COMMA) return false;
    this.#at++;
    return true;
  }

  /** The number here, and the spaces around it, behind which the place moves; NaN where there is none. */
  read(): number {
    const bytes = this.#bytes;
    const words = this.#words;
    const to = this.#to;
    const lastWord = this.#lastWord;
    let at = this.#at;
    while (at < to && bytes[at]! <= 32) at++;
    const start = at;
    const isNegative = bytes[at] === MINUS;
    if (isNegative) at++;
    const first = at;
    let size = 0;
    for (; at < to && isDigit(bytes[at]!); at++) size = size * 10 + (bytes[at]! - ZERO);
    if (at === first) return Number.NaN;
    let exponent = 0;
    if (at < to && bytes[at] === POINT) {
      const point = ++at;
      if (size === 0) while (at < to && bytes[at] === ZERO) at++;
      const end = at + READ_DIGITS;
      while (at < end && at < lastWord && areFourDigits(words.getInt32(at, true))) {
        size = size * 10_000 + fourDigits(words.getInt32(at, true));
        at += 4;
      }
      for (; at < end && at < to && isDigit(bytes[at]!); at++) size = size * 10 + (bytes[at]! - ZERO);
      exponent = point - at;
      while (at < lastWord && areFourDigits(words.getInt32(at, true))) at += 4;
      while (at < to && isDigit(bytes[at]!)) at++;
      if (at === point) return Number.NaN;
    }
    if (at < to && (bytes[at] === LOWER_E || bytes[at] === UPPER_E)) {
      const mark = at++;
      while (at < to && bytes[at] !== COMMA && bytes[at]! > 32) at++;
      const power = Number(asciiOf(bytes, mark + 1, at));
      if (at === mark + 1 || !Number.isInteger(power)) return Number.NaN;
      exponent += power;
    }
    const end = at;
    while (at < to && bytes[at]! <= 32) at++;
    this.#at = at;
    size = scaled(size, exponent);
    const single = Math.fround(size);
    const isSure = single === Math.fround(size * (1 - DOUBT)) && single === Math.fround(size * (1 + DOUBT));
    if (!isSure) {
      const exact = Number(asciiOf(bytes, start, end));
      if (exact !== Math.fround(exact)) this.areSingles = false;
      return exact;
    }
    if (Math.abs(size - single) > size * DOUBT) this.areSingles = false;
    return isNegative ? -single : single;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

/** Whether each of four bytes, read as one little-endian word, is a digit: its high half 3, and still 3 with 6 added. */
function areFourDigits(word: number): boolean {
  return ((word & 0xf0f0f0f0) | (((word + 0x06060606) & 0xf0f0f0f0) >>> 4)) === 0x33333333;
}

/** Their number: first both pairs at once, each ten times its first digit and its second. */
function fourDigits(word: number): number {
  const pairs = Math.imul(word & 0x0f0f0f0f, 10 * 256 + 1) >>> 8;
  return (pairs & 0xff) * 100 + ((pairs >>> 16) & 0xff);
}

/** size·10^exponent, or NaN where that takes more care. */
function scaled(size: number, exponent: number): number {
  if (exponent === 0) return size;
  if (exponent > LARGEST_POWER || exponent < -2 * LARGEST_POWER) return Number.NaN;
  if (exponent > 0) return size * POWERS[exponent]!;
  const first = Math.min(-exponent, LARGEST_POWER);
  return size / POWERS[first]! / POWERS[-exponent - first]!;
}

function asciiOf(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
