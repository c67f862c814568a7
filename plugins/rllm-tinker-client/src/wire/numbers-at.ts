import type { ArrayRange } from './hoist-arrays.js';
import { invalidResponse } from './invalid-response.js';

/** The numbers of a hoisted array as `JSON.parse` reads them. @throws TinkerError RESPONSE_INVALID that names what is no number */
export function numbersAt(bytes: Uint8Array, { from, to }: ArrayRange, what: string): readonly number[] {
  let values: readonly unknown[];
  try {
    values = JSON.parse(`[${Buffer.from(bytes.subarray(from, to)).toString()}]`) as readonly unknown[];
  } catch (thrown) {
    throw invalidResponse(`${what} is no list of numbers`, thrown);
  }
  return values.map((value, i) => {
    if (typeof value === 'number') return value;
    throw invalidResponse(`${what} has ${JSON.stringify(value)} at position ${i}`);
  });
}
