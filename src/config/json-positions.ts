import { type ConfigPath, formatPath } from './config-path.js';

/** A string, a bracket, a comma, or a number or word; colons and blanks say nothing more in valid JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s{}[\],:"]+/g;

/**
 * Where each value of a valid JSON text stands: the offset of its key, or of the item of a list, by path. A key that an
 * object has twice is listed, since `JSON.parse` silently keeps the last.
 */
export function jsonPositions(text: string): {
  readonly offsets: ReadonlyMap<string, number>;
  readonly duplicates: readonly ConfigPath[];
} {
  const tokens = [...text.matchAll(TOKEN)].map((match) => ({ text: match[0], offset: match.index }));
  const offsets = new Map<string, number>();
  const duplicates: ConfigPath[] = [];
  let at = 0;

  const record = (path: ConfigPath, offset: number): void => {
    const key = formatPath(path);
    if (offsets.has(key)) {
      duplicates.push(path);
      const isBelow = (known: string): boolean => known.startsWith(`${key}.`) || known.startsWith(`${key}[`);
      for (const known of [...offsets.keys()].filter(isBelow)) offsets.delete(known);
    }
    offsets.set(key, offset);
  };
  const skipValue = (path: ConfigPath): void => {
    const opening = tokens[at++]?.text;
    if (opening !== '{' && opening !== '[') return;
    for (let index = 0; at < tokens.length; ) {
      const token = tokens[at];
      if (token === undefined || token.text === '}' || token.text === ']') break;
      if (token.text === ',') {
        at++;
        continue;
      }
      const inner = [...path, opening === '{' ? String(JSON.parse(token.text)) : String(index++)];
      record(inner, token.offset);
      if (opening === '{') at++;
      skipValue(inner);
    }
    at++;
  };
  skipValue([]);
  return { offsets, duplicates };
}
