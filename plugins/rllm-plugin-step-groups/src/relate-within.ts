import { RllmError } from 'rllm-sdk';

const EPSILON = 1e-6;

export interface RelateOptions {
  /** Divide by the std of the class, population (÷n), ε = 1e-6 added. */
  readonly normByStd: boolean;
  /** What a value gets that is alone in its class: itself (over 1 + ε where it divides), or 0. */
  readonly lone: 'value' | 'zero';
}

/**
 * Each value against the others of its class: v − mean(class), or that over (std(class) + ε). It is `grpo`'s arithmetic, digit for
 * digit: a second pass corrects the mean, squares are taken about it, and equal values give exactly 0.
 *
 * Values stand in one flat list whatever their classes, and classes are numbers, so that nothing is allocated for a class: most
 * have few members.
 *
 * @param values   shape [K], finite; not modified.
 * @param classes  `classes[k]` in 0 … count − 1.
 * @returns        shape [K]; over each class of two or more they sum to 0.
 * @throws RllmError REWARD_NOT_FINITE.
 */
export function relateWithin(
  values: readonly number[],
  classes: readonly number[],
  count: number,
  { normByStd, lone }: RelateOptions,
): number[] {
  const sizes = zeros(count);
  const means = zeros(count);
  const firsts = zeros(count);
  const differs = zeros(count);
  for (let k = 0; k < values.length; k++) {
    const c = classes[k] as number;
    const value = values[k] as number;
    if (!Number.isFinite(value)) throw new RllmError('REWARD_NOT_FINITE', `A step is worth ${value}.`);
    if (sizes[c] === 0) firsts[c] = value;
    else if (value !== firsts[c]) differs[c] = 1;
    sizes[c] = (sizes[c] as number) + 1;
    means[c] = (means[c] as number) + value;
  }
  for (let c = 0; c < count; c++) means[c] = (means[c] as number) / (sizes[c] as number);
  const rests = sumWithin(values, classes, means, (difference) => difference);
  for (let c = 0; c < count; c++)
    means[c] = (means[c] as number) + (rests[c] as number) / (sizes[c] as number);
  const squares = normByStd ? sumWithin(values, classes, means, (difference) => difference ** 2) : undefined;
  return values.map((value, k) => {
    const c = classes[k] as number;
    const size = sizes[c] as number;
    // `+ 0` turns −0 into 0.
    if (size === 1) return lone === 'zero' ? 0 : (normByStd ? value / (1 + EPSILON) : value) + 0;
    if (differs[c] === 0) return 0;
    const difference = value - (means[c] as number);
    if (squares === undefined) return difference + 0;
    return difference / (Math.sqrt((squares[c] as number) / size) + EPSILON) + 0;
  });
}

/** Σ of a function of v − mean over each class. */
function sumWithin(
  values: readonly number[],
  classes: readonly number[],
  means: readonly number[],
  term: (difference: number) => number,
): number[] {
  const sums = zeros(means.length);
  for (let k = 0; k < values.length; k++) {
    const c = classes[k] as number;
    sums[c] = (sums[c] as number) + term((values[k] as number) - (means[c] as number));
  }
  return sums;
}

function zeros(count: number): number[] {
  return new Array<number>(count).fill(0);
}

/** A flat list cut into lists of the lengths of `shape`. */
export function cutLike(flat: readonly number[], shape: readonly ArrayLike<unknown>[]): number[][] {
  let end = 0;
  return shape.map(({ length }) => {
    const start = end;
    end += length;
    return flat.slice(start, end);
  });
}
