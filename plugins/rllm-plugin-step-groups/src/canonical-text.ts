const MAX_DEPTH = 200;

/**
 * One text for all values that are the same data: JSON with the keys of every object sorted. Two observations are the same
 * anchor state exactly when their texts are equal, so that no hash can collide.
 *
 * As JSON: numbers in their shortest form, −0 as 0, keys whose value is undefined or a function left out, such an entry of a list
 * as null, `toJSON` asked where there is one (dates). Unlike JSON: NaN, Infinity, −Infinity and undefined are each equal to
 * themselves and to nothing else (JSON makes null of them, and so does a saved episode); a bigint is not the number; a typed array
 * is the list of its numbers.
 *
 * @param ignoreKeys  keys that do not count, in objects at every depth: timestamps, request ids.
 * @throws TypeError for a Map, a Set or another object that is no plain data (JSON writes `{}` for each of them, and all would be
 *   equal), and for data nested more than 200 levels deep, as a cycle is.
 */
export function canonicalText(value: unknown, ignoreKeys: ReadonlySet<string> = new Set()): string {
  return textOf(value, ignoreKeys, 0);
}

function textOf(value: unknown, ignoreKeys: ReadonlySet<string>, depth: number): string {
  if (depth > MAX_DEPTH) {
    throw new TypeError(`an observation is nested more than ${MAX_DEPTH} levels deep, or refers to itself`);
  }
  if (typeof value === 'number') return String(value + 0);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return textOf(value.toJSON(), ignoreKeys, depth + 1);
  }
  const items: ArrayLike<unknown> | undefined = Array.isArray(value) ? value : numbersOf(value);
  if (items !== undefined) {
    let list = '[';
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      list += (i === 0 ? '' : ',') + textOf(isData(item) ? item : null, ignoreKeys, depth + 1);
    }
    return `${list}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const kind = value.constructor?.name ?? 'object';
    throw new TypeError(`an observation must be plain data; it holds an object of type ${kind}`);
  }
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const key of Object.keys(fields).sort()) {
    const field = fields[key];
    if (!isData(field) || ignoreKeys.has(key)) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${textOf(field, ignoreKeys, depth + 1)}`;
  }
  return `{${text}}`;
}

/** Whether JSON writes the value at all. */
function isData(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function numbersOf(value: object): ArrayLike<unknown> | undefined {
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? (value as Float64Array) : undefined;
}
