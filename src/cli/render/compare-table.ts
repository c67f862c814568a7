import type { Paint } from '../paint.js';
import { brokenName } from './broken-name.js';

export interface TableStyle {
  /** Width of the terminal, in characters. */
  readonly columns: number;
  readonly paint: Paint;
}

/** One column of numbers; the heading may be long, and is broken where names have joints. */
export interface NumberColumn {
  readonly heading: string;
  readonly cells: readonly string[];
}

const GAP = 2;
const HEADING_WIDTH = 14;

/**
 * A table of numbers, right-aligned, in as many blocks below each other as the terminal's width makes of it. Each block begins
 * with the columns that name the rows, the first of which is text.
 */
export function compareTable(
  fixed: readonly NumberColumn[],
  columns: readonly NumberColumn[],
  { columns: width, paint }: TableStyle,
): string[] {
  const widthOf = (all: readonly NumberColumn[]): number =>
    all.reduce((sum, column) => sum + cellWidth(column) + GAP, -GAP);
  const blocks: NumberColumn[][] = [[]];
  for (const column of columns) {
    const block = blocks.at(-1) as NumberColumn[];
    const isTooWide = widthOf([...fixed, ...block, column]) >= width;
    if (isTooWide && block.length > 0) blocks.push([column]);
    else block.push(column);
  }
  return blocks.flatMap((block, index) => [
    ...(index === 0 ? [] : ['']),
    ...blockLines([...fixed, ...block], paint),
  ]);
}

function blockLines(columns: readonly NumberColumn[], paint: Paint): readonly string[] {
  const headings = columns.map(({ heading }) => brokenName(heading, HEADING_WIDTH));
  const height = Math.max(...headings.map((lines) => lines.length));
  const line = (cell: (column: number) => string): string =>
    columns
      .map((column, at) => {
        const width = cellWidth(column);
        return at === 0 ? cell(at).padEnd(width) : cell(at).padStart(width);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const top = Array.from({ length: height }, (_none, row) =>
    // Headings stand on the numbers: short ones have their empty lines above.
    paint(
      'bold',
      line((at) => headings[at]?.[row - height + (headings[at]?.length ?? 0)] ?? ''),
    ),
  );
  const rows = columns[0]?.cells ?? [];
  return [...top, ...rows.map((_cell, row) => line((at) => columns[at]?.cells[row] ?? ''))];
}

function cellWidth({ heading, cells }: NumberColumn): number {
  return Math.max(...[...brokenName(heading, HEADING_WIDTH), ...cells].map((text) => text.length));
}
