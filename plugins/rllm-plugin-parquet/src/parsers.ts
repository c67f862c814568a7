import type { ParquetParsers } from 'hyparquet';
import { isoDay, isoTime } from './iso-time.js';

/** What stands for a value that cannot be read, until the row is known to which it belongs. */
export class Unreadable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Text of bytes. @returns Unreadable for what is no UTF-8 */
export function textOf(bytes: Uint8Array): string | Unreadable {
  try {
    return decoder.decode(bytes);
  } catch {
    return new Unreadable(`${bytes.length} bytes that are no UTF-8 text`);
  }
}

/** A value that is absent stays so; hyparquet hands those of optional columns through. */
const present =
  <In, Out>(parse: (value: In) => Out) =>
  (value: In | undefined): Out | undefined =>
    value === undefined || value === null ? undefined : parse(value);

/** Times as ISO text and texts as they are, where hyparquet would make `Date`s, which JSON and rows do not have, and mend bad UTF-8. */
export const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: present((count: bigint) => isoTime(BigInt(count), 3)),
  timestampFromMicroseconds: present((count: bigint) => isoTime(BigInt(count), 6)),
  timestampFromNanoseconds: present((count: bigint) => isoTime(BigInt(count), 9)),
  dateFromDays: present(isoDay),
  stringFromBytes: present(textOf),
  jsonFromBytes: present((bytes: Uint8Array) => {
    const text = textOf(bytes);
    if (text instanceof Unreadable) return text;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return new Unreadable('text that is no JSON');
    }
  }),
};
