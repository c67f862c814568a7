import type { ComparisonReport, GradientReport, LeftOut, Measured } from '../../compare/index.js';
import { armsText } from '../render/compare-gradients.js';
import { numberText } from '../render/number-text.js';
import { advantageCharts } from './advantage-charts.js';
import type { ChartConfig } from './chart-library.js';
import { gradientCharts } from './gradient-charts.js';
import { htmlText, scriptJson } from './html-text.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';

/** More names than these make a legend that explains nothing. */
const MOST_NAMED = 24;

/**
 * The comparison as one page that needs nothing else: no network, no other file.
 *
 * @param library  script that defines `Chart`.
 * @param version  of the SDK.
 */
export function comparePage(report: ComparisonReport, library: string, version: string): string {
  const charts = new Map<string, ChartConfig>();
  const body = [
    '<h1>Advantage estimators side by side</h1>',
    ...(report.gradient === null ? [] : gradientSection(report.gradient, charts)),
    ...advantageSection(report, charts),
    `<footer>rllm-sdk ${htmlText(version)}. All numbers of the plots are in the tables.</footer>`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Advantage estimators side by side</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
${body.join('\n')}
<script id="charts" type="application/json">${scriptJson(Object.fromEntries(charts))}</script>
<script>${library}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

function advantageSection(
  { source, notes, table }: ComparisonReport,
  charts: Map<string, ChartConfig>,
): readonly string[] {
  const { columns, groups, leftOut } = table;
  const plots = advantageCharts(columns, groups);
  const cards = columns.map(({ label, estimator }, at) => {
    const id = `advantage-${at}`;
    const plot = plots[at];
    if (plot !== undefined) charts.set(id, plot.config);
    const own = plot?.hasOwnScale === true ? ' <b>Its own scale.</b>' : '';
    return card(label, `${htmlText(estimator.summary)}${own}`, id, 220);
  });
  const head = ['group', 'reward', 'tokens', ...columns.map(({ label }) => label)];
  const rows = groups.flatMap(({ groupId, rewards, lengths }, g) =>
    rewards.map((reward, i) => ({
      isFirst: i === 0,
      cells: [
        i === 0 ? groupId : '',
        numberOf(reward),
        numberOf(lengths[i]),
        ...columns.map(({ advantages }) => numberOf(advantages[g]?.[i]?.mean)),
      ],
    })),
  );
  return [
    '<h2>From reward to advantage</h2>',
    `<p>On ${htmlText(source)}. One plot for each estimator, a line for each group; axes are the same unless said. Advantages per token are shown as their mean over a trajectory.</p>`,
    legend(groups.map(({ groupId }) => groupId)),
    `<div class="cards">${cards.join('\n')}</div>`,
    '<h2>All advantages</h2>',
    tableOf(head, rows),
    ...notCompared(leftOut),
    ...notes.map((note) => `<p>${htmlText(note)}</p>`),
  ];
}

function gradientSection(gradient: GradientReport, charts: Map<string, ChartConfig>): readonly string[] {
  const { bandit, sample, columns, leftOut } = gradient;
  const height = 60 + 27 * columns.length;
  const cards = gradientCharts(gradient).map(({ title, caption, config }, at) => {
    const id = `gradient-${at}`;
    charts.set(id, config);
    return card(title, htmlText(caption), id, height);
  });
  const head = ['estimator', 'norm', 'cosine', 'bias', 'biased', 'variance', 'noise'];
  const rows = columns.map(({ label, statistics }) => ({
    isFirst: false,
    cells: [
      label,
      measuredOf(statistics.normRatio),
      statistics.cosine === null ? '–' : measuredOf(statistics.cosine),
      measuredOf(statistics.bias),
      statistics.isBiased ? 'yes' : 'no',
      measuredOf(statistics.variance),
      numberOf(statistics.noise),
    ],
  }));
  return [
    '<h2>The policy gradient</h2>',
    `<p>Measured on a bandit with a known gradient: ${bandit.groups} tasks from hard to easy, ${bandit.rollouts} rollouts of each in a batch, ${armsText(bandit.arms)}; ${sample.batches} batches, seed ${sample.seed}. Whiskers reach 2 standard errors to either side.</p>`,
    `<div class="cards wide">${cards.join('\n')}</div>`,
    tableOf(head, rows),
    ...notCompared(leftOut),
  ];
}

function card(title: string, caption: string, id: string, height: number): string {
  return `<section class="card"><h3>${htmlText(title).replaceAll('_', '_<wbr>')}</h3><p>${caption}</p><div class="plot" style="height: ${height}px"><canvas id="${id}" role="img" aria-label="${htmlText(title)}"></canvas></div></section>`;
}

function legend(names: readonly string[]): string {
  if (names.length > MOST_NAMED) return '';
  const items = names.map(
    (name, at) => `<li><i style="background: var(--series-${(at % 8) + 1})"></i>${htmlText(name)}</li>`,
  );
  return `<ul class="legend"><li>groups</li>${items.join('')}</ul>`;
}

interface Row {
  readonly isFirst: boolean;
  readonly cells: readonly string[];
}

function tableOf(head: readonly string[], rows: readonly Row[]): string {
  const heading = head.map((name) => `<th scope="col">${htmlText(name)}</th>`).join('');
  const body = rows.map(({ isFirst, cells }) => {
    const row = cells.map((cell) => `<td>${htmlText(cell)}</td>`).join('');
    return `<tr${isFirst ? ' class="first"' : ''}>${row}</tr>`;
  });
  return `<div class="scroll"><table><thead><tr>${heading}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

function notCompared(leftOut: readonly LeftOut[]): readonly string[] {
  if (leftOut.length === 0) return [];
  const items = leftOut.map(
    ({ label, reasons }) => `<dt>${htmlText(label)}</dt><dd>${htmlText(reasons.join('; '))}</dd>`,
  );
  return ['<h2>Not compared</h2>', `<dl>${items.join('\n')}</dl>`];
}

function numberOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : numberText(value);
}

function measuredOf({ value, standardError }: Measured): string {
  return `${numberText(value)} ± ${numberText(standardError)}`;
}
