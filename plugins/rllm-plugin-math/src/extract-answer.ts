import { boxedAnswers } from './boxed-answers.js';

/** A number as people write it: `-1,234.5`, `.5`, `1/2`, `\frac{1}{2}`, `50%`. A minus after a digit is a difference or a range. */
const NUMBER =
  /(?:(?<![\w)])[-+−])?(?:\\[dtc]?frac\{[^{}]*\}\{[^{}]*\}|(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:\.\d+)?(?:(?<=\d)\s*\/\s*\d+)?(?:\\?%)?)/g;

/**
 * The answer that a model gave: what the last box holds; else what follows the last `####` on its line (GSM8K); else the last
 * number. `undefined` when there is none of these, or the last box is empty.
 */
export function extractAnswer(text: string): string | undefined {
  const boxed = boxedAnswers(text).at(-1);
  if (boxed !== undefined) return boxed === '' ? undefined : boxed;
  return afterMark(text) ?? lastNumber(text);
}

/** The right answer as a dataset has it: what follows the last `####`, what the last box holds, or the whole. */
export function extractReference(text: string): string {
  return afterMark(text) ?? boxedAnswers(text).at(-1) ?? text.trim();
}

function afterMark(text: string): string | undefined {
  const at = text.lastIndexOf('####');
  if (at < 0) return undefined;
  const [line = ''] = text
    .slice(at + 4)
    .trimStart()
    .split('\n', 1);
  return line.trim() === '' ? undefined : line.trim();
}

function lastNumber(text: string): string | undefined {
  return [...text.matchAll(NUMBER)].map(([number]) => number).findLast((number) => /\d/.test(number));
}
