import { RllmError } from '../errors.js';

const MAX_DEPTH = 200;

/**
 * A deep copy of plain data: arrays and object literals are copied, everything else (texts, numbers, functions, class
 * instances) is kept as it is. Much faster than `structuredClone`, which also refuses functions.
 *
 * @throws RllmError STEP_MALFORMED when the data is nested more than 200 levels deep, as a cycle is.
 */
export function copyPlain<T>(value: T): T {
  return copy(value, 0) as T;
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) {
    throw new RllmError(
      'STEP_MALFORMED',
      `What a rollout records must be plain data; this is nested more than ${MAX_DEPTH} levels deep, or refers to itself.`,
    );
  }
  if (Array.isArray(value)) {
    // Token lists are long, and `slice` copies them in one go.
    const items: unknown[] = value.slice();
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      if (typeof item === 'object') items[i] = copy(item, depth + 1);
    }
    return items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // A spread keeps a key `__proto__`, which JSON may hold, as a property of its own; then it may be assigned to.
  const fields: Record<string, unknown> = { ...value };
  for (const key in fields) {
    const item = fields[key];
    if (typeof item === 'object') fields[key] = copy(item, depth + 1);
  }
  return fields;
}
