const COMMA = 44;
const ZERO = 48;
const NINE = 57;
/** Digits of which every number fits an int32. */
const MOST_DIGITS = 9;

/**
 * Reads `17,4,150000`, as token ids are written, three times as fast as `JSON.parse`.
 *
 * @returns undefined when there is anything but integers from 0 to 999,999,999 with nothing but a comma between them
 */
export function readNaturals(bytes: Uint8Array, from: number, to: number): Int32Array | undefined {
  const numbers = new Int32Array(to - from);
  let count = 0;
  for (let at = from; at < to; at++) {
    const first = at;
    let value = 0;
    for (; at < to && bytes[at]! >= ZERO && bytes[at]! <= NINE; at++) value = value * 10 + bytes[at]! - ZERO;
    const hasMore = at + 1 < to && bytes[at] === COMMA;
    if (at === first || at - first > MOST_DIGITS || !(hasMore || at === to)) return undefined;
    numbers[count++] = value;
  }
  return numbers.slice(0, count);
}
