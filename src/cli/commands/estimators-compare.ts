import {
  armsOf,
  BANDIT_PROVIDES,
  type Column,
  type ComparisonReport,
  compareAdvantages,
  compareGradients,
  createBandit,
  type GradientReport,
  parseColumn,
  prepareColumns,
  replayColumns,
  reportDocument,
} from '../../compare/index.js';
import type { App } from '../../container/index.js';
import { RllmError } from '../../errors.js';
import { type ComparisonSource, openSource, type SourceOptions } from '../comparison-source.js';
import type { ConfigOptions } from '../options.js';
import { readConfig } from '../read-config.js';
import { comparedLines } from '../render/compare-advantages.js';
import { gradientLines } from '../render/compare-gradients.js';
import { loadRunConfig } from '../run-config.js';
import { humanOutput, openScreen } from '../screen.js';
import { withApp } from '../with-app.js';

export interface CompareOptions extends ConfigOptions, SourceOptions {
  readonly gradient?: boolean;
  /** How many, or the reward of each. */
  readonly arms?: number | readonly number[];
  readonly groups: number;
  readonly rollouts: number;
  readonly batches: number;
  /** The configuration's by default. */
  readonly seed?: number;
  readonly html?: string;
}

/** `rllm estimators compare`: what each estimator makes of the same rewards, and of the policy gradient. */
export async function compareEstimators(options: CompareOptions, names: readonly string[]): Promise<number> {
  const loaded =
    options.run === undefined ? await readConfig(options, false) : await loadRunConfig(options.run, options);
  const report = await withApp(loaded, { run: null, validateOnly: true }, async (app) => {
    const columns =
      names.length > 0
        ? names.map(parseColumn)
        : app.estimators.list().map(({ name }) => ({ label: name, name, options: {} }));
    const source = await openSource(options, app);
    const table = await advantagesOf(source, columns, app);
    const gradient = options.gradient === true ? await gradientsOf(columns, options, app) : null;
    return { source: source.name, notes: source.notes(), table, gradient } satisfies ComparisonReport;
  });
  if (options.html !== undefined) {
    const { writeComparePage } = await import('../html/write-compare-page.js');
    await writeComparePage(options.html, report);
  }
  if (options.json === true) process.stdout.write(`${JSON.stringify(reportDocument(report))}\n`);
  else show(report, options);
  if (report.table.columns.length > 0 || (report.gradient?.columns.length ?? 0) > 0) return 0;
  const reasons = report.table.leftOut.map((one) => `${one.label}: ${one.reasons.join('; ')}`);
  throw new RllmError('SETTING_IMPOSSIBLE', `No estimator could be compared. ${reasons.join('. ')}.`);
}

async function advantagesOf(
  { input: { groups, provides }, size, earlier }: ComparisonSource,
  columns: readonly Column[],
  { estimators, config }: App,
): Promise<ComparisonReport['table']> {
  const { ready, leftOut } = await prepareColumns(columns, {
    algorithm: config.algorithm,
    registry: estimators,
    provides,
    size,
  });
  const replayed = earlier === undefined ? undefined : await replayColumns(earlier, ready, estimators);
  const table = compareAdvantages(groups, replayed?.ready ?? ready, estimators);
  return { ...table, leftOut: [...leftOut, ...(replayed?.leftOut ?? []), ...table.leftOut] };
}

async function gradientsOf(
  columns: readonly Column[],
  { arms = 8, groups, rollouts, batches, seed }: CompareOptions,
  { estimators, config }: App,
): Promise<GradientReport> {
  const bandit = createBandit({ arms: typeof arms === 'number' ? armsOf(arms) : arms, groups, rollouts });
  const { ready, leftOut } = await prepareColumns(columns, {
    algorithm: config.algorithm,
    registry: estimators,
    provides: BANDIT_PROVIDES,
    size: { rollouts, tasksPerBatch: groups },
  });
  const sample = { batches, seed: seed ?? config.trainer.seed };
  const comparison = compareGradients(bandit, ready, estimators, sample);
  return {
    bandit: { arms: bandit.arms, groups, rollouts },
    sample,
    trueNorm: Math.hypot(...bandit.gradient),
    columns: comparison.columns,
    leftOut: [...leftOut, ...comparison.leftOut],
  };
}

function show(report: ComparisonReport, options: CompareOptions): void {
  const screen = openScreen(humanOutput(options), process.env, options);
  const style = { columns: screen.columns(), paint: screen.paint };
  const lines = comparedLines(report, style);
  if (report.gradient !== null) lines.push('', ...gradientLines(report.gradient, style));
  for (const line of lines) screen.write(`${line}\n`);
}
