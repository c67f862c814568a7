/** Powers of ten that are exact in a double. */
const POWERS = Float64Array.from({ length: 23 }, (_, n) => Number(`1e${n}`));
/** Significant digits that tell every float32 from its neighbours. */
const DIGITS = 9;
const ZERO = 48;
const POINT = 46;
const MINUS = 45;

/** `000001002…999`: three digits at a time. */
const TRIPLES = Uint8Array.from({ length: 3000 }, (_, k) => {
  const triple = Math.floor(k / 3);
  return ZERO + (Math.floor(triple / [100, 10, 1][k % 3]!) % 10);
});

/** Longest text of a number, in bytes. */
export const LONGEST_NUMBER = 26;

/** Writes an integer from 0 to 2³¹ − 1 at `at`, and returns the place after it. */
export function writeNatural(bytes: Uint8Array, at: number, value: number): number {
  const whole = value | 0;
  if (whole < 1000) return writeHead(bytes, at, whole);
  const thousands = (whole / 1000) | 0;
  const end = writeNatural(bytes, at, thousands);
  writeTriple(bytes, end, whole - thousands * 1000);
  return end + 3;
}

/**
 * Writes a float32 at `at` to nine significant digits, from which every reader that rounds to float32 gets the same bits back, and returns
 * the place after it. −0 becomes 0, which it is to every loss.
 *
 * @param value  finite, rounded to single precision
 */
export function writeFloat32(bytes: Uint8Array, at: number, value: number): number {
  if (value === 0) {
    bytes[at] = ZERO;
    return at + 1;
  }
  const size = value < 0 ? -value : value;
  if (size < 1e-4 || size >= 1e9) return writeAscii(bytes, at, String(value));
  let start = at;
  if (value < 0) bytes[start++] = MINUS;
  return size < 1 ? writeFraction(bytes, start, size) : writeMixed(bytes, start, size);
}

// Scaling by a power of ten adds a relative error of 2⁻⁵³, and no float32 is so near a power of ten that nine digits round up to it.

/** A number in [1e-4, 1). */
function writeFraction(bytes: Uint8Array, at: number, size: number): number {
  let start = at;
  bytes[start++] = ZERO;
  bytes[start++] = POINT;
  let places = DIGITS;
  for (let bound = 0.1; size < bound; bound /= 10) {
    bytes[start++] = ZERO;
    places++;
  }
  writeNine(bytes, start, Math.round(size * POWERS[places]!) | 0);
  return trimmed(bytes, start + DIGITS);
}

/** A number in [1, 1e9). */
function writeMixed(bytes: Uint8Array, at: number, size: number): number {
  let whole = 1;
  while (size >= POWERS[whole]!) whole++;
  const digits = Math.round(size * POWERS[DIGITS - whole]!) | 0;
  if (whole === DIGITS) {
    writeNine(bytes, at, digits);
    return at + DIGITS;
  }
  writeNine(bytes, at + 1, digits);
  for (let k = at; k < at + whole; k++) bytes[k] = bytes[k + 1]!;
  bytes[at + whole] = POINT;
  return trimmed(bytes, at + 1 + DIGITS);
}

/** The end without the zeros, and the point, that precede it. */
function trimmed(bytes: Uint8Array, end: number): number {
  let last = end;
  while (bytes[last - 1] === ZERO) last--;
  return bytes[last - 1] === POINT ? last - 1 : last;
}

function writeNine(bytes: Uint8Array, at: number, value: number): void {
  const thousands = (value / 1000) | 0;
  const millions = (value / 1_000_000) | 0;
  writeTriple(bytes, at, millions);
  writeTriple(bytes, at + 3, thousands - millions * 1000);
  writeTriple(bytes, at + 6, value - thousands * 1000);
}

function writeTriple(bytes: Uint8Array, at: number, value: number): void {
  const from = 3 * value;
  bytes[at] = TRIPLES[from]!;
  bytes[at + 1] = TRIPLES[from + 1]!;
  bytes[at + 2] = TRIPLES[from + 2]!;
}

/** A number below 1000 without leading zeros. */
function writeHead(bytes: Uint8Array, at: number, value: number): number {
  const from = 3 * value;
  let end = at;
  if (value >= 100) bytes[end++] = TRIPLES[from]!;
  if (value >= 10) bytes[end++] = TRIPLES[from + 1]!;
  bytes[end++] = TRIPLES[from + 2]!;
  return end;
}

function writeAscii(bytes: Uint8Array, at: number, text: string): number {
  for (let k = 0; k < text.length; k++) bytes[at + k] = text.charCodeAt(k);
  return at + text.length;
}
