import { type ConfigPath, formatPath } from './config-path.js';
import { jsonPositions } from './json-positions.js';
import { yamlPosition } from './yaml-position.js';

/** 1-based place in a text. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Finds values in the text of a config file. */
export interface TextIndex {
  /** The place of a value, or of the innermost parent that can be found; undefined when not even that is there. */
  locate(path: ConfigPath): TextPosition | undefined;
  /** Keys that one object has twice. */
  readonly duplicates: readonly ConfigPath[];
}

export function positionOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Indexes a JSON or YAML text. YAML has no duplicates: its parser refuses them. */
export function indexText(text: string): TextIndex {
  if (!isJson(text)) return { locate: (path) => yamlPosition(text, path), duplicates: [] };
  const { offsets, duplicates } = jsonPositions(text);
  const locate = (path: ConfigPath): TextPosition | undefined => {
    for (let at = path; at.length > 0; at = at.slice(0, -1)) {
      const offset = offsets.get(formatPath(at));
      if (offset !== undefined) return positionOf(text, offset);
    }
    return undefined;
  };
  return { locate, duplicates };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
