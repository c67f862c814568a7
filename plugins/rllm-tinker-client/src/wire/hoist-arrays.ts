const KEY = Buffer.from('"data":');
const OPEN = 0x5b;
const CLOSE = 0x5d;
const NESTED = new Set([OPEN, 0x7b, 0x22]);

/** Where the inside of an array stands in the bytes. */
export interface ArrayRange {
  readonly from: number;
  readonly to: number;
}

/** A JSON text with its long arrays taken out. */
export interface Hoisted {
  /** The value, where each `"data"` is the index of its range. */
  readonly body: unknown;
  readonly ranges: readonly ArrayRange[];
}

/**
 * Parses JSON without the flat arrays that are called `data`, of which results of training almost wholly consist. The bytes of the key,
 * quotes and colon included, cannot stand within a string, whose own quotes would be escaped.
 *
 * @throws SyntaxError when what is left is no JSON
 */
export function hoistArrays(bytes: Uint8Array): Hoisted {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  const ranges: ArrayRange[] = [];
  let done = 0;
  for (let at = text.indexOf(KEY); at >= 0; at = text.indexOf(KEY, at)) {
    at += KEY.length;
    let open = at;
    while (text[open]! <= 32) open++;
    if (text[open] !== OPEN) continue;
    const close = text.indexOf(CLOSE, open);
    let first = open + 1;
    while (text[first]! <= 32) first++;
    if (close < 0 || NESTED.has(text[first]!)) continue;
    pieces.push(text.toString('utf8', done, open), String(ranges.length));
    ranges.push({ from: open + 1, to: close });
    done = close + 1;
    at = done;
  }
  pieces.push(text.toString('utf8', done));
  return { body: JSON.parse(pieces.join('')), ranges };
}
