/** A number as a fraction in lowest terms, so that 0.1 + 0.2 is 3/10 and 1/3 is not 0.333. */
export interface Fraction {
  readonly numerator: bigint;
  /** Above 0. */
  readonly denominator: bigint;
  /** It was written with a percent sign; the value is what stands before the sign. */
  readonly isPercent: boolean;
}

const DECIMAL = String.raw`(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d+)?(?:\.\d*)?`;
const FORMS = {
  decimal: new RegExp(
    `^(${DECIMAL})(?:[eE]([-+]?\\d+)|\\s*(?:\\\\times|\\\\cdot|×)\\s*10\\^\\{?([-+]?\\d+)\\}?)?$`,
  ),
  fraction: new RegExp(`^(${DECIMAL})\\s*/\\s*(${DECIMAL})$`),
  latex: new RegExp(`^(\\d+)?\\s*\\\\frac\\s*\\{\\s*(-?${DECIMAL})\\s*\\}\\s*\\{\\s*(-?${DECIMAL})\\s*\\}$`),
  mixed: /^(\d+)\s+(\d+)\s*\/\s*(\d+)$/,
} as const;

/** Longest power of ten that is read; a longer one is nonsense and would fill the memory. */
const MOST_ZEROS = 400;

/**
 * Reads a canonical answer as a number; `undefined` when it is none.
 *
 * Known forms, with a sign before and `%` after: `12`, `1,234.5`, `1 234`, `.5`, `1.5e3`, `1.5 \times 10^{3}`, `1/2`, `\frac{1}{2}`,
 * `1 1/2`, `1\frac{1}{2}`. `1,23` is none: its comma separates no thousands.
 */
export function readNumber(text: string): Fraction | undefined {
  const [, sign = '', body = '', percent] = /^([-+]?)\s*(.*?)\s*(%?)$/s.exec(text) ?? [];
  const magnitude = readMagnitude(body);
  if (magnitude === undefined) return undefined;
  const [numerator, denominator] = magnitude;
  return lowest(sign === '-' ? -numerator : numerator, denominator, percent === '%');
}

type Ratio = readonly [numerator: bigint, denominator: bigint];

function readMagnitude(text: string): Ratio | undefined {
  const decimal = FORMS.decimal.exec(text);
  if (decimal !== null) return scaled(readDecimal(decimal[1]), Number(decimal[2] ?? decimal[3] ?? 0));
  const fraction = FORMS.fraction.exec(text);
  if (fraction !== null) return divided(readDecimal(fraction[1]), readDecimal(fraction[2]));
  const latex = FORMS.latex.exec(text);
  if (latex !== null) return plus(latex[1], divided(readSigned(latex[2]), readSigned(latex[3])));
  const mixed = FORMS.mixed.exec(text);
  if (mixed !== null) return plus(mixed[1], divided(readDecimal(mixed[2]), readDecimal(mixed[3])));
  return undefined;
}

function readDecimal(text = ''): Ratio | undefined {
  const [whole = '', part = ''] = text.replaceAll(/[, ]/g, '').split('.');
  if (whole === '' && part === '') return undefined;
  return [BigInt(whole + part), 10n ** BigInt(part.length)];
}

function readSigned(text = ''): Ratio | undefined {
  const ratio = readDecimal(text.replace('-', ''));
  return ratio !== undefined && text.startsWith('-') ? [-ratio[0], ratio[1]] : ratio;
}

function scaled(ratio: Ratio | undefined, exponent: number): Ratio | undefined {
  if (ratio === undefined || Math.abs(exponent) > MOST_ZEROS) return undefined;
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? [ratio[0], ratio[1] * power] : [ratio[0] * power, ratio[1]];
}

function divided(a: Ratio | undefined, b: Ratio | undefined): Ratio | undefined {
  if (a === undefined || b === undefined || b[0] === 0n) return undefined;
  return b[0] < 0n ? [-a[0] * b[1], -a[1] * b[0]] : [a[0] * b[1], a[1] * b[0]];
}

function plus(whole: string | undefined, part: Ratio | undefined): Ratio | undefined {
  if (whole === undefined || part === undefined) return part;
  return [BigInt(whole) * part[1] + part[0], part[1]];
}

function lowest(numerator: bigint, denominator: bigint, isPercent: boolean): Fraction {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  const divisor = a === 0n ? 1n : a;
  return { numerator: numerator / divisor, denominator: denominator / divisor, isPercent };
}
