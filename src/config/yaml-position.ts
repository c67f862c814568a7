import type { ConfigPath } from './config-path.js';
import type { TextPosition } from './text-position.js';

/**
 * Where a value stands in a block-style YAML text, told by indentation: its key, or the `- ` of an item. A value that cannot
 * be found (flow style, an alias) gets the place of the innermost parent that can.
 */
export function yamlPosition(text: string, path: ConfigPath): TextPosition | undefined {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  let found: TextPosition | undefined;
  let from = 0;
  let parentIndent = -1;
  for (const key of path) {
    const child = childInYaml(lines, from, parentIndent, key);
    if (child === undefined) break;
    found = { line: child.line + 1, column: child.indent + 1 };
    from = child.line;
    parentIndent = child.indent;
    if (child.isItem) lines[from] = (lines[from] ?? '').replace('-', ' ');
    else from++;
  }
  return found;
}

/** The line of a key, or of the n-th `- ` item, among the lines that are indented below a parent. */
function childInYaml(
  lines: readonly string[],
  from: number,
  parentIndent: number,
  key: string,
): { readonly line: number; readonly indent: number; readonly isItem: boolean } | undefined {
  let childIndent: number | undefined;
  let index = 0;
  for (let line = from; line < lines.length; line++) {
    const content = (lines[line] ?? '').trimStart();
    if (content === '' || content.startsWith('#') || content.startsWith('---')) continue;
    const indent = (lines[line] ?? '').length - content.length;
    const isItem = /^-(?:\s|$)/.test(content);
    if (indent < parentIndent || (indent === parentIndent && !isItem)) return undefined;
    childIndent ??= indent;
    if (indent < childIndent) return undefined;
    if (indent > childIndent) continue;
    if (isItem ? String(index++) === key : keyInYaml(content) === key) return { line, indent, isItem };
  }
  return undefined;
}

function keyInYaml(content: string): string | undefined {
  const match = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"'#][^:#]*?))\s*:(?:\s|$)/.exec(content);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
