import { readNumber } from './read-number.js';

/**
 * An answer without what does not change its meaning, for comparison as text and for reading it as a number:
 *
 * - dollar signs around formulas, `\left`, `\right`, spacing (`\,` `\;` `\!` `~` `\quad`), a full stop at the end;
 * - `\text{…}`, `\mathrm{…}`, `\mbox{…}`, `\textbf{…}` give what they hold;
 * - `\dfrac`, `\tfrac`, `\cfrac` are `\frac`; `\frac12` is `\frac{1}{2}`; `\sqrt2` is `\sqrt{2}`;
 * - a name before a lone equals sign: `x = 5` is `5`;
 * - a unit after a number and white space, `5 cm`, `12 \text{ apples}`; degrees; currency signs.
 *
 * Letters that touch a number stay: `5x` is not 5, and neither is `5 x`. A percent sign stays too, since it changes the number.
 *
 * The rules are those of the graders of MATH and of Minerva as far as they agree.
 * @see https://github.com/hendrycks/math/blob/main/modeling/math_equivalence.py
 */
export function canonicalAnswer(answer: string): string {
  let text = answer.trim();
  for (const [pattern, replacement] of RULES) text = text.replaceAll(pattern, replacement);
  text = text.trim().replace(/\.$/, '').trim();
  text = text.replace(/^[A-Za-z]\w?\s*=\s*(?=[^=]+$)/, '');
  return withoutUnit(text).replaceAll(/\s+/g, ' ').trim();
}

const RULES: readonly (readonly [RegExp, string])[] = [
  [/−/g, '-'],
  [/\\[()[\]]/g, ' '],
  [/\\\$|(?<!\\)\$|[€£]/g, ''],
  [/\\(?:left|right)(?![A-Za-z])/g, ''],
  [/\\[,;!: ]|\\quad|~/g, ' '],
  [/\\%/g, '%'],
  [/\\(?:text|textbf|textrm|mathrm|mathbf|mbox)\s*\{([^{}]*)\}/g, ' $1 '],
  [/\\[dtc]frac/g, '\\frac'],
  [/\\frac\s*(\d)\s*(\d)/g, '\\frac{$1}{$2}'],
  [/\\frac\s*(\d)\s*\{/g, '\\frac{$1}{'],
  [/(\\frac\s*\{[^{}]*\})\s*(\d)/g, '$1{$2}'],
  [/\\sqrt\s*(\w)/g, '\\sqrt{$1}'],
  [/\^\s*\{?\s*\\circ\s*\}?|°/g, ''],
  [/\{,\}/g, ','],
];

/** `cm`, `km/h`, `m^2`, `square feet`: one letter alone may be a variable, unless it is one of these. */
const UNIT =
  /^(.*?)\s+(?!(?:and|or|to)\b)(?:[A-Za-z]{2,}|[mghsL])[²³]?(?:[\s/·*^.-]+(?:[A-Za-z]+|(?<=\^)\d)[²³]?)*$/s;

function withoutUnit(text: string): string {
  const before = UNIT.exec(text)?.[1];
  return before !== undefined && readNumber(before) !== undefined ? before : text;
}
