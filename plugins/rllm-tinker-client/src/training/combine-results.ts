import type { ForwardResult } from '../types/forward-result.js';

interface Part {
  readonly value: number;
  /** Number of datums that the value is of. */
  readonly weight: number;
}

/**
 * The results of the requests that one call was split into, as if it had been one. Outputs follow each other. Metrics are merged by what
 * follows the last colon of their name:
 *
 * `sum` adds, `min` and `max` choose, `mean` weighs by the number of datums, `slack` is the maximum less that mean, `unique` keeps the first
 * and adds the others as `NAME_1`, `NAME_2`, and `hash_unordered` is the bitwise sum of 32 bits, in any order. A name without a known
 * suffix is averaged as `mean`. The names are those of the first result.
 */
export function combineResults(results: readonly ForwardResult[]): ForwardResult {
  const [first] = results;
  if (first === undefined || results.length === 1) return first ?? { outputs: [], metrics: {} };
  const metrics: Record<string, number> = {};
  for (const name of Object.keys(first.metrics)) {
    const parts = results.flatMap(({ metrics: own, outputs }) => {
      const value = own[name];
      return value === undefined ? [] : [{ value, weight: outputs.length }];
    });
    if (name.endsWith(':unique')) {
      parts.forEach(({ value }, i) => {
        metrics[i === 0 ? name : `${name}_${i}`] = value;
      });
    } else metrics[name] = merge(name.slice(name.lastIndexOf(':') + 1), parts);
  }
  return { outputs: results.flatMap(({ outputs }) => outputs), metrics };
}

function merge(suffix: string, parts: readonly Part[]): number {
  const values = parts.map(({ value }) => value);
  switch (suffix) {
    case 'sum':
      return values.reduce((a, b) => a + b, 0);
    case 'min':
      return Math.min(...values);
    case 'max':
      return Math.max(...values);
    case 'slack':
      return Math.max(...values) - mean(parts);
    case 'hash_unordered':
      return values.reduce((a, b) => (a + b) % 2 ** 32, 0);
    default:
      return mean(parts);
  }
}

function mean(parts: readonly Part[]): number {
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  return parts.reduce((sum, part) => sum + part.value * part.weight, 0) / weight;
}
