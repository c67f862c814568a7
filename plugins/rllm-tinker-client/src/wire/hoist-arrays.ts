/** What the long arrays are called: in results of training, and in those of sampling. */
const TRAINING = [Buffer.from('"data":')];
const SAMPLING = [Buffer.from('"tokens":'), Buffer.from('"logprobs":')];
const OPEN = 0x5b;
const CLOSE = 0x5d;
const NESTED = new Set([OPEN, 0x7b, 0x22]);

/** Where the inside of an array stands in the bytes. */
export interface ArrayRange {
  readonly from: number;
  readonly to: number;
}

/** A JSON text with its long arrays taken out. */
export interface HoistedJson {
  readonly bytes: Uint8Array;
  /** The value, where each flat array of a key is the index of its range. */
  readonly body: unknown;
  readonly ranges: readonly ArrayRange[];
}

/**
 * Parses JSON without the flat arrays of numbers of which results of training and sampling almost wholly consist. The bytes of a key,
 * quotes and colon included, cannot stand within a string, whose own quotes would be escaped.
 *
 * @throws SyntaxError when what is left is no JSON
 */
export function hoistArrays(bytes: Uint8Array): HoistedJson {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  const ranges: ArrayRange[] = [];
  // Looking for a key that is not there takes as long as reading half of the rest.
  const names = text.includes(TRAINING[0]!) ? TRAINING : SAMPLING;
  const keys = names.map((key) => ({ key, next: text.indexOf(key) }));
  let done = 0;
  for (;;) {
    const found = keys.reduce((a, b) => (b.next >= 0 && (a.next < 0 || b.next < a.next) ? b : a));
    if (found.next < 0) break;
    const array = flatArrayAt(text, found.next + found.key.length);
    if (array !== undefined) {
      pieces.push(text.toString('utf8', done, array.from - 1), String(ranges.length));
      ranges.push(array);
      done = array.to + 1;
    }
    found.next = text.indexOf(found.key, Math.max(done, found.next + found.key.length));
  }
  pieces.push(text.toString('utf8', done));
  return { bytes, body: JSON.parse(pieces.join('')), ranges };
}

/** The inside of the array that begins here, behind spaces; undefined where there is none, or one that holds more than numbers. */
function flatArrayAt(text: Buffer, at: number): ArrayRange | undefined {
  const open = behindSpaces(text, at);
  if (text[open] !== OPEN) return undefined;
  const to = text.indexOf(CLOSE, open);
  return to < 0 || NESTED.has(text[behindSpaces(text, open + 1)]!) ? undefined : { from: open + 1, to };
}

function behindSpaces(text: Buffer, at: number): number {
  let place = at;
  while (text[place]! <= 32) place++;
  return place;
}
