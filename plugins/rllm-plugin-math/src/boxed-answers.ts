const COMMAND = /\\(?:boxed|fbox)\s*/g;

/**
 * What stands in each `\boxed{…}` (or `\fbox{…}`) of a text, in order, braces inside it balanced; `\boxed 5` boxes one
 * character, as TeX has it. A box that is not closed is none: the text was cut off.
 */
export function boxedAnswers(text: string): string[] {
  const answers: string[] = [];
  for (const match of text.matchAll(COMMAND)) {
    const start = match.index + match[0].length;
    if (text[start] === '{') {
      const end = closingBrace(text, start);
      if (end !== undefined) answers.push(text.slice(start + 1, end).trim());
    } else {
      const single = /^[^\s{}\\]/.exec(text.slice(start, start + 1));
      if (single !== null) answers.push(single[0]);
    }
  }
  return answers;
}

/** Position of the brace that closes the one at `start`; an escaped brace is a character. */
function closingBrace(text: string, start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return i;
  }
  return undefined;
}
