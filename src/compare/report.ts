import type { EstimatorDescriptor } from '../advantage/index.js';
import type { Json } from '../types/index.js';
import type { BanditSettings } from './bandit.js';
import type { AdvantageTable } from './compare-advantages.js';
import type { GradientComparison, SampleSize } from './compare-gradients.js';

/** Everything that a comparison found. */
export interface ComparisonReport {
  /** Where the rewards are from, for people. */
  readonly source: string;
  /** What may make the numbers others than those of the run, one sentence each. */
  readonly notes: readonly string[];
  readonly table: AdvantageTable;
  readonly gradient: GradientReport | null;
}

export interface GradientReport extends GradientComparison {
  readonly bandit: BanditSettings;
  readonly sample: SampleSize;
  /** ‖∇J‖, which bias and norm are relative to. */
  readonly trueNorm: number;
}

/** The report as one JSON document. Advantages per trajectory are means over its tokens; `tokens` has them all. */
export function reportDocument({ source, notes, table, gradient }: ComparisonReport): Json {
  const document = {
    source,
    notes,
    groups: table.groups,
    estimators: table.columns.map(({ label, estimator, options, advantages }) => ({
      label,
      ...describe(estimator),
      options,
      advantages: advantages.map((row) => row.map((one) => one?.mean ?? null)),
      ...(advantages.some((row) => row.some((one) => one?.tokens !== undefined))
        ? { tokens: advantages.map((row) => row.map((one) => one?.tokens ?? null)) }
        : {}),
    })),
    leftOut: table.leftOut,
    gradient:
      gradient === null
        ? null
        : {
            ...gradient.bandit,
            ...gradient.sample,
            trueNorm: gradient.trueNorm,
            estimators: gradient.columns.map(({ label, statistics }) => ({ label, ...statistics })),
            leftOut: gradient.leftOut,
          },
  };
  return JSON.parse(JSON.stringify(document)) as Json;
}

function describe({ name, owner, summary, paper, scope, perToken }: EstimatorDescriptor) {
  return { name, owner, summary, paper: paper ?? null, scope, perToken };
}
