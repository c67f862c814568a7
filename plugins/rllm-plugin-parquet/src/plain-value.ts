import type { Json } from 'rllm-sdk';
import { textOf, Unreadable } from './parsers.js';

/**
 * A cell as JSON: what is absent and NaN (pandas' missing number) are null, an integer beyond 2⁵³ is its digits as text, bytes are
 * UTF-8 text; lists, structs and maps are arrays and objects.
 *
 * @throws Error with the rest of a sentence that begins with the cell: infinities, bytes that are no text.
 */
export function plainValue(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return null;
    if (Number.isFinite(value)) return value;
    throw new Error(`holds ${value}, which JSON cannot`);
  }
  if (value instanceof Uint8Array) return plainValue(textOf(value));
  if (value instanceof Unreadable) throw new Error(`holds ${value.reason}`);
  if (Array.isArray(value)) return value.map(plainValue);
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
    return Array.from(value as Iterable<unknown> & ArrayBufferView, plainValue);
  }
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plainValue(field)]));
  }
  throw new Error(`holds a ${typeof value}`);
}
