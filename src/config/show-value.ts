import { isPlainObject } from './plain-tree.js';
import { withoutUrlSecrets } from './secrets.js';

const LONGEST = 60;

/** A value as an error message shows it: short, on one line. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isPlainObject(value)) return 'an object';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return `an instance of ${value.constructor.name}`;
  if (typeof value !== 'string') return String(value);
  const text = JSON.stringify(withoutUrlSecrets(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…"` : text;
}
