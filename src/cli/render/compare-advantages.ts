import type { AdvantageColumn, ComparedGroup, ComparisonReport, LeftOut } from '../../compare/index.js';
import type { Paint } from '../paint.js';
import { cleanText } from './clean-text.js';
import { compareTable, type NumberColumn, type TableStyle } from './compare-table.js';
import { numberText } from './number-text.js';
import { fieldLines } from './table-lines.js';

/** More than a person reads; `--json` and `--html` have them all. */
const MOST_ROWS = 100;
const WIDEST_NAME = 24;
/** Marks a column whose numbers are means over tokens. */
const PER_TOKEN = '*';

/** The table of advantages, the formula of each estimator, and what could not be compared. */
export function comparedLines({ source, notes, table }: ComparisonReport, style: TableStyle): string[] {
  const { groups, columns, leftOut } = table;
  const places = groups.flatMap((group, g) => group.rewards.map((_reward, i) => ({ g, i })));
  const shown = places.slice(0, MOST_ROWS);
  const hasLengths = groups.some(({ lengths }) => lengths.some((length) => length !== 1));
  const cell = (of: (group: ComparedGroup, i: number) => string): readonly string[] =>
    shown.map(({ g, i }) => of(groups[g] as ComparedGroup, i));
  const fixed: readonly NumberColumn[] = [
    { heading: 'GROUP', cells: cell((group, i) => (i === 0 ? shortName(group.groupId) : '')) },
    { heading: 'REWARD', cells: cell((group, i) => textOf(group.rewards[i])) },
    ...(hasLengths ? [{ heading: 'TOKENS', cells: cell((group, i) => textOf(group.lengths[i])) }] : []),
  ];
  const numbers = columns.map((column) => ({
    heading: markedLabel(column),
    cells: shown.map(({ g, i }) => textOf(column.advantages[g]?.[i]?.mean)),
  }));
  const { paint } = style;
  return [
    `advantages on ${source}`,
    '',
    ...compareTable(fixed, numbers, style),
    ...(places.length > shown.length
      ? [paint('dim', `… ${places.length - shown.length} more rows; --json and --html have them all`)]
      : []),
    '',
    ...fieldLines(
      columns.map((column) => [markedLabel(column), column.estimator.summary]),
      paint,
    ),
    ...(columns.some(isPerToken)
      ? [paint('dim', `  ${PER_TOKEN} per token; shown is the mean over a trajectory's tokens`)]
      : []),
    ...leftOutLines(leftOut, paint),
    ...noteLines(notes, paint),
  ];
}

/** What was not compared and why, if anything. */
export function leftOutLines(leftOut: readonly LeftOut[], paint: Paint): readonly string[] {
  if (leftOut.length === 0) return [];
  const fields = leftOut.map(({ label, reasons }) => [label, cleanText(reasons.join('; '))] as const);
  return ['', 'not compared', ...fieldLines(fields, paint)];
}

/** What may make the numbers others than those of the run, if anything. */
export function noteLines(notes: readonly string[], paint: Paint): readonly string[] {
  return notes.length === 0 ? [] : ['', ...notes.map((note) => paint('dim', note))];
}

function markedLabel(column: AdvantageColumn): string {
  return isPerToken(column) ? column.label + PER_TOKEN : column.label;
}

function isPerToken({ estimator, advantages }: AdvantageColumn): boolean {
  return estimator.perToken || advantages.some((row) => row.some((one) => one?.tokens !== undefined));
}

/** A dash for what does not train, or is not there. */
function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : numberText(value);
}

function shortName(name: string): string {
  const chars = [...cleanText(name)];
  return chars.length <= WIDEST_NAME ? chars.join('') : `${chars.slice(0, WIDEST_NAME - 1).join('')}…`;
}
