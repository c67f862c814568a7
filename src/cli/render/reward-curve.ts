export interface CurvePoint {
  readonly step: number;
  readonly value: number;
}

export interface CurveOptions {
  readonly title: string;
  /** Width of the whole drawing, in characters. */
  readonly columns: number;
  /** Braille dots and box lines, or plain ASCII. */
  readonly unicode: boolean;
}

/** How many points one character holds, and the character that shows those that are set. */
interface Cell {
  readonly width: number;
  readonly height: number;
  glyph(isSet: (x: number, y: number) => boolean): string;
}

/** Odd, so that one row lies in the middle. */
const ROWS = 7;
const MAX_CELLS = 64;
const MIN_CELLS = 8;

/** Bit of each dot of a braille character, by row and column (Unicode block U+2800). */
const BRAILLE_BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

const BRAILLE: Cell = {
  width: 2,
  height: 4,
  glyph(isSet) {
    let bits = 0;
    for (const [y, row] of BRAILLE_BITS.entries()) {
      for (const [x, bit] of row.entries()) if (isSet(x, y)) bits |= bit;
    }
    return bits === 0 ? ' ' : String.fromCodePoint(0x2800 + bits);
  },
};

const ASCII: Cell = { width: 1, height: 1, glyph: (isSet) => (isSet(0, 0) ? '*' : ' ') };

/**
 * A curve over steps as lines of text, axes labelled; each dot is the mean of the steps it covers.
 *
 * @returns no lines when there are fewer than two points, or no room for eight characters of curve.
 */
export function rewardCurve(points: readonly CurvePoint[], options: CurveOptions): readonly string[] {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || points.length < 2) return [];
  const cell = options.unicode ? BRAILLE : ASCII;
  const values = points.map((point) => point.value);
  const [low, high] = range(values);
  const labels = [high, (low + high) / 2, low].map(axisText);
  const labelWidth = Math.max(...labels.map((label) => label.length));
  const cells = Math.min(MAX_CELLS, options.columns - labelWidth - 3);
  if (cells < MIN_CELLS) return [];

  const heights = resample(values, cells * cell.width).map(
    (value) => ((value - low) / (high - low)) * (ROWS * cell.height - 1),
  );
  const body = draw(heights, cell, cells);
  const axis = options.unicode
    ? { tick: '┤', line: '│', corner: '└', floor: '─' }
    : { tick: '+', line: '|', corner: '+', floor: '-' };
  const pad = (text: string): string => text.padStart(labelWidth);
  return [
    `${pad('')}  ${options.title}`,
    ...body.map((row, index) => {
      const label = labels[index / ((ROWS - 1) / 2)];
      return `${pad(label ?? '')} ${label === undefined ? axis.line : axis.tick}${row}`.trimEnd();
    }),
    `${pad('')} ${axis.corner}${axis.floor.repeat(cells)}`,
    `${pad('')}  ${floorLabels(first.step, last.step, cells)}`,
  ];
}

/** Rewards in [0, 1] are drawn on that whole range, so that curves can be compared; others on their own. */
function range(values: readonly number[]): readonly [number, number] {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  if (low >= 0 && high <= 1) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

function axisText(value: number): string {
  return Math.abs(value) >= 1000 || (value !== 0 && Math.abs(value) < 0.01)
    ? value.toExponential(0)
    : value.toFixed(2);
}

/** `values` as `count` numbers: means of equal parts where there are more, straight lines between them where there are fewer. */
function resample(values: readonly number[], count: number): readonly number[] {
  const n = values.length;
  return Array.from({ length: count }, (_, i) => {
    if (n > count) {
      const part = values.slice(Math.floor((i * n) / count), Math.floor(((i + 1) * n) / count));
      return part.reduce((a, b) => a + b, 0) / part.length;
    }
    const at = (i * (n - 1)) / (count - 1);
    const left = Math.floor(at);
    const from = values[left] ?? 0;
    return from + (at - left) * ((values[left + 1] ?? from) - from);
  });
}

/** Rows of text, top first, with each height joined to the one before by a vertical stroke. */
function draw(heights: readonly number[], cell: Cell, cells: number): readonly string[] {
  const dots = heights.map((height, x) => {
    const to = Math.round(height);
    const before = Math.round(heights[x - 1] ?? height);
    // Half of the stroke belongs to each side; the dot before is drawn already.
    const from = before === to ? to : before < to ? before + 1 : before - 1;
    return [Math.min(from, to), Math.max(from, to)] as const;
  });
  const rows: string[] = [];
  for (let row = 0; row < ROWS; row++) {
    let text = '';
    for (let column = 0; column < cells; column++) {
      text += cell.glyph((x, y) => {
        const span = dots[column * cell.width + x];
        const level = ROWS * cell.height - 1 - (row * cell.height + y);
        return span !== undefined && level >= span[0] && level <= span[1];
      });
    }
    rows.push(text);
  }
  return rows;
}

/** First and last step under the ends of the floor. */
function floorLabels(first: number, last: number, width: number): string {
  const left = `step ${first}`;
  const right = String(last);
  return left + right.padStart(Math.max(right.length + 1, width - left.length));
}
