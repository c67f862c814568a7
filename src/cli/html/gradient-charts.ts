import type { GradientReport, GradientStatistics } from '../../compare/index.js';
import { brokenName } from '../render/broken-name.js';
import type { ChartConfig } from './chart-library.js';

export interface GradientChart {
  readonly title: string;
  readonly caption: string;
  readonly config: ChartConfig;
}

interface Bar {
  /** Null where there is none. */
  readonly value: number | null;
  readonly standardError: number;
}

interface BarChart {
  readonly title: string;
  readonly caption: string;
  bar(statistics: GradientStatistics): Bar;
  colour?(statistics: GradientStatistics): string;
  /** Where bars begin; 0 when absent. */
  readonly base?: number;
  /** Lengths may be compared on a logarithmic axis. */
  readonly mayBeLogarithmic?: boolean;
}

const CHARTS: readonly BarChart[] = [
  {
    title: 'Norm',
    caption:
      'Length of the mean gradient over that of the true one. 1 is the truth; 2 acts as twice the learning rate.',
    bar: ({ normRatio }) => normRatio,
    base: 1,
  },
  {
    title: 'Bias',
    caption: '|mean − truth| / |truth|. Blue: within 4 standard errors of the truth; orange: biased.',
    bar: ({ bias }) => bias,
    colour: ({ isBiased }) => (isBiased ? '--series-2' : '--series-1'),
  },
  {
    title: 'Variance',
    caption: 'Of the gradient of one batch, summed over its components.',
    bar: ({ variance }) => variance,
    mayBeLogarithmic: true,
  },
  {
    title: 'Noise at equal scale',
    caption:
      '√variance / |mean|. What is left of variance once the learning rate is adjusted; less is better.',
    bar: ({ noise }) => ({ value: noise, standardError: 0 }),
  },
];

/** Longer names are broken into lines, lest they take the room of the bars. */
const LABEL_WIDTH = 22;

/** Norm, bias, variance and noise of the gradient by estimator; whiskers reach 2 standard errors to either side. */
export function gradientCharts({ columns }: GradientReport): readonly GradientChart[] {
  const labels = columns.map(({ label }) => brokenName(label, LABEL_WIDTH));
  return CHARTS.map((chart) => {
    const bars = columns.map(({ statistics }) => chart.bar(statistics));
    const colours = columns.map(({ statistics }) => chart.colour?.(statistics) ?? '--series-1');
    const { title, caption } = chart;
    return { title, caption, config: barConfig(chart, labels, bars, colours) };
  });
}

/** Beyond this ratio of the largest to the smallest, the small bars could not be told apart on a linear axis. */
const LOGARITHMIC = 50;

function barConfig(
  { base, mayBeLogarithmic = false }: BarChart,
  labels: readonly (readonly string[])[],
  bars: readonly Bar[],
  colours: readonly string[],
): ChartConfig {
  const values = bars.flatMap(({ value }) => (value !== null && value > 0 ? [value] : []));
  const isLogarithmic = mayBeLogarithmic && Math.max(...values) / Math.min(...values) > LOGARITHMIC;
  const whiskers = bars.map(({ value, standardError }) => {
    if (value === null || standardError === 0) return null;
    // Lengths end at 0, which a logarithmic axis does not have.
    const least = base === undefined ? (isLogarithmic ? value / 10 : 0) : Number.NEGATIVE_INFINITY;
    return [Math.max(least, value - 2 * standardError), value + 2 * standardError];
  });
  const whisker = { label: '± 2 standard errors', backgroundColor: '--text', barThickness: 2, order: 0 };
  const bar = { label: 'value', backgroundColor: colours, order: 1, ...(base === undefined ? {} : { base }) };
  return {
    type: 'bar',
    data: {
      labels,
      datasets: [
        { ...whisker, data: whiskers, grouped: false },
        { ...bar, data: bars.map(({ value }) => value), grouped: false },
      ],
    },
    options: {
      indexAxis: 'y',
      scales: {
        x: { type: isLogarithmic ? 'logarithmic' : 'linear', ticks: { maxTicksLimit: 8, maxRotation: 0 } },
        y: { grid: { display: false }, ticks: { autoSkip: false } },
      },
      plugins: { legend: { display: false } },
    },
  };
}
