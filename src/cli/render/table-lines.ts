import type { Paint } from '../paint.js';

/** Rows under a heading, columns aligned; the last column is not padded, so lines have no trailing spaces. */
export function tableLines(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): readonly string[] {
  const widths = heading.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [paint('bold', line(heading)), ...rows.map(line)];
}

/** `name  value` lines with the names aligned. */
export function fieldLines(fields: readonly (readonly [string, string])[], paint: Paint): readonly string[] {
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `  ${paint('dim', name.padEnd(width))}  ${value}`);
}
