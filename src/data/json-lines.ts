/** The 1-based line of a character offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = 0; i < offset && i < text.length; i++) if (text[i] === '\n') line++;
  return line;
}

/**
 * The 1-based line on which each element of a top-level JSON array begins; `JSON.parse` does not tell.
 *
 * @param text  valid JSON whose value is an array.
 */
export function arrayRowLines(text: string): readonly number[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let inString = false;
  let awaitsElement = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '\n') line++;
    if (inString) {
      if (character === '\\') i++;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === undefined || WHITE_SPACE.has(character)) continue;
    if (depth === 1 && character === ',') {
      awaitsElement = true;
      continue;
    }
    if (awaitsElement && character !== ']') {
      lines.push(line);
      awaitsElement = false;
    }
    if (character === '"') inString = true;
    else if (character === '[' || character === '{') {
      awaitsElement = depth === 0;
      depth++;
    } else if (character === ']' || character === '}') depth--;
  }
  return lines;
}

/** What JSON allows between tokens. */
const WHITE_SPACE: ReadonlySet<string> = new Set([' ', '\n', '\r', '\t']);
