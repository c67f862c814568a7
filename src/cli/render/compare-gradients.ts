import type { GradientReport, Measured } from '../../compare/index.js';
import { leftOutLines } from './compare-advantages.js';
import { compareTable, type TableStyle } from './compare-table.js';
import { numberText } from './number-text.js';

/** Bias and variance of the policy gradient under each estimator, and what the columns mean. */
export function gradientLines(gradient: GradientReport, style: TableStyle): string[] {
  const { bandit, sample, columns, leftOut } = gradient;
  const { paint } = style;
  const each = (text: (statistics: (typeof columns)[number]['statistics']) => string): readonly string[] =>
    columns.map(({ statistics }) => text(statistics));
  const table = compareTable(
    [{ heading: 'ESTIMATOR', cells: columns.map(({ label }) => label) }],
    [
      { heading: 'NORM', cells: each(({ normRatio }) => measuredText(normRatio)) },
      { heading: 'COSINE', cells: each(({ cosine }) => (cosine === null ? '-' : measuredText(cosine))) },
      { heading: 'BIAS', cells: each(({ bias }) => measuredText(bias)) },
      { heading: 'BIASED', cells: each(({ isBiased }) => (isBiased ? 'yes' : 'no')) },
      { heading: 'VARIANCE', cells: each(({ variance }) => measuredText(variance)) },
      { heading: 'NOISE', cells: each(({ noise }) => (noise === null ? '-' : numberText(noise))) },
    ],
    style,
  );
  const seen = `${sample.batches} batches, seed ${sample.seed}`;
  return [
    `policy gradient on a bandit: ${bandit.groups} tasks, ${bandit.rollouts} rollouts each, ${armsText(bandit.arms)}; ${seen}`,
    '',
    ...table,
    '',
    ...MEANINGS.map((line) => paint('dim', `  ${line}`)),
    ...leftOutLines(leftOut, paint),
  ];
}

const MEANINGS: readonly string[] = [
  'norm      length of the mean gradient over that of the true one: 2 acts as twice the learning rate',
  'cosine    between the mean gradient and the true one: less than 1 is another objective',
  'bias      |mean − truth| / |truth|, ± what chance alone gives an unbiased estimator',
  'biased    some component is more than 4 standard errors off',
  'variance  of the gradient of one batch, summed over its components',
  'noise     √variance / |mean|: the noise of one batch at equal scale; less is better',
];

/** More rewards than this say nothing. */
const MOST_ARMS = 12;

/** `arms that pay 1, 0, 0.500`. */
export function armsText(arms: readonly number[]): string {
  return arms.length > MOST_ARMS ? `${arms.length} arms` : `arms that pay ${arms.map(numberText).join(', ')}`;
}

function measuredText({ value, standardError }: Measured): string {
  return `${numberText(value)} ±${numberText(standardError)}`;
}
