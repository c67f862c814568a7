/**
 * JSON of what a workflow or a dataset may have put anything into: a bigint becomes the text of its digits, and an object that
 * holds itself the text `[circular]` where it comes again, so that what was done can be written.
 */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return JSON.stringify(value, writable(), indent);
  }
}

/** A replacer for one call of `JSON.stringify`, which goes depth first: what holds the value at hand is the end of the way to it. */
function writable(): (this: unknown, key: string, value: unknown) => unknown {
  const way: unknown[] = [];
  return function (_key, value) {
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    while (way.length > 0 && way.at(-1) !== this) way.pop();
    if (way.includes(value)) return '[circular]';
    way.push(value);
    return value;
  };
}
