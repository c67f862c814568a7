import type { AdvantageColumn, ComparedGroup } from '../../compare/index.js';
import type { ChartConfig } from './chart-library.js';

/** Colours that tell groups apart; with more groups they come again. */
const SERIES = 8;
/** A column that is this many times larger than the median one gets a scale of its own, lest the others look flat. */
const OUTLIER = 4;

export interface AdvantageChart {
  readonly config: ChartConfig;
  /** Its axis is not that of the other charts. */
  readonly hasOwnScale: boolean;
}

/** Reward → advantage for each column: a line of points for each group, the same axes for all columns that fit on them. */
export function advantageCharts(
  columns: readonly AdvantageColumn[],
  groups: readonly ComparedGroup[],
): readonly AdvantageChart[] {
  const sizes = columns.map(({ advantages }) =>
    advantages.flat().reduce((most, one) => Math.max(most, Math.abs(one?.mean ?? 0)), 0),
  );
  const sorted = [...sizes].sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const limit = median === 0 ? Number.POSITIVE_INFINITY : OUTLIER * median;
  const shared = Math.max(0, ...sizes.filter((size) => size <= limit));
  return columns.map((column, at) => {
    const size = sizes[at] ?? 0;
    const hasOwnScale = size > limit;
    return { hasOwnScale, config: scatter(column, groups, roundBound((hasOwnScale ? size : shared) * 1.05)) };
  });
}

/** The next of 1, 2, 3, 4, 5, 6, 8, 10 times a power of ten, so that half of it is a round number too. */
function roundBound(size: number): number {
  if (size === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(size));
  return power * ([1, 2, 3, 4, 5, 6, 8].find((step) => step * power >= size) ?? 10);
}

function scatter(
  { advantages }: AdvantageColumn,
  groups: readonly ComparedGroup[],
  bound: number,
): ChartConfig {
  const datasets = groups.map(({ groupId, rewards }, g) => {
    const colour = `--series-${(g % SERIES) + 1}`;
    const points = rewards.flatMap((x, i) => {
      const y = advantages[g]?.[i]?.mean;
      return x === null || y === undefined ? [] : [{ x, y }];
    });
    return {
      label: groupId,
      data: points.sort((a, b) => a.x - b.x || a.y - b.y),
      borderColor: colour,
      backgroundColor: colour,
      showLine: true,
      borderWidth: 1.5,
      pointRadius: 4,
    };
  });
  return {
    type: 'scatter',
    data: { datasets },
    options: {
      scales: {
        x: { title: { display: true, text: 'reward' } },
        y: {
          min: -bound,
          max: bound,
          title: { display: true, text: 'advantage' },
          ticks: { stepSize: bound / 2 },
        },
      },
      plugins: { legend: { display: false } },
    },
  };
}
