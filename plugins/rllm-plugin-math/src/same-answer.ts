import { canonicalAnswer } from './canonical-answer.js';
import { type Fraction, readNumber } from './read-number.js';

/**
 * Whether two answers mean the same: as numbers where both are numbers, exactly, or up to `tolerance`; else as canonical text
 * without white space.
 *
 * `50%` is 50 and 0.5 beside an answer without the sign, since datasets write it either way, and `50%` alone beside one with it.
 *
 * @param tolerance  |given − right| ≤ tolerance · max(1, |right|); 0 asks for equality.
 */
export function sameAnswer(given: string, right: string, tolerance = 0): boolean {
  const [a, b] = [canonicalAnswer(given), canonicalAnswer(right)];
  const [x, y] = [readNumber(a), readNumber(b)];
  if (x === undefined || y === undefined) return a.replaceAll(' ', '') === b.replaceAll(' ', '');
  if (isSame(x, y, tolerance)) return true;
  if (x.isPercent === y.isPercent) return false;
  return x.isPercent ? isSame(hundredth(x), y, tolerance) : isSame(x, hundredth(y), tolerance);
}

/** |x − y| ≤ t · max(1, |y|), multiplied by all denominators, so that nothing is rounded. */
function isSame(x: Fraction, y: Fraction, tolerance: number): boolean {
  const t = readNumber(String(tolerance)) ?? { numerator: 0n, denominator: 1n };
  const distance = absolute(x.numerator * y.denominator - y.numerator * x.denominator);
  const bounds = [y.denominator, absolute(y.numerator)];
  return bounds.some((bound) => distance * t.denominator <= t.numerator * x.denominator * bound);
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

function hundredth(fraction: Fraction): Fraction {
  return { ...fraction, denominator: fraction.denominator * 100n };
}
