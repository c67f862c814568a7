import type { EstimatorDescriptor, EstimatorRegistry, Requirement, StepSize } from '../advantage/index.js';
import type { AlgorithmConfig } from '../config/types.js';
import { RllmError } from '../errors.js';
import type { Json } from '../types/index.js';
import { algorithmOf, type Column } from './column.js';

/** A column that the input can feed. */
export interface PreparedColumn {
  readonly column: Column;
  readonly descriptor: EstimatorDescriptor;
  readonly algorithm: AlgorithmConfig;
  /** What the estimator starts from; absent for a state that is new. */
  readonly state?: Json;
}

/** A column that is not shown, with the reasons, one sentence each. */
export interface LeftOut {
  readonly label: string;
  readonly reasons: readonly string[];
}

export interface ColumnSetting {
  readonly algorithm: AlgorithmConfig;
  readonly registry: EstimatorRegistry;
  /** What the input has besides rewards. */
  readonly provides: ReadonlySet<Requirement>;
  /** Of the run that the input is from, else of the input as a whole: in training too a group may be smaller. */
  readonly size: StepSize;
}

/**
 * Sorts out what cannot be compared: an estimator that needs what the input lacks, and one that refuses the setting itself.
 *
 * @throws RllmError UNKNOWN_NAME; CONFIG_INVALID for options that an estimator does not take.
 */
export async function prepareColumns(
  columns: readonly Column[],
  setting: ColumnSetting,
): Promise<{ readonly ready: readonly PreparedColumn[]; readonly leftOut: readonly LeftOut[] }> {
  const { registry, provides, size } = setting;
  const ready: PreparedColumn[] = [];
  const leftOut: LeftOut[] = [];
  for (const column of columns) {
    const { name, label } = column;
    const algorithm = algorithmOf(column, setting.algorithm);
    // Awaited for schemas that are async; what is wrong is thrown by `optionsOf`, with its path.
    await registry.checkOptions(name, algorithm);
    registry.optionsOf(name, algorithm);
    const descriptor = describe(name, registry);
    if (typeof descriptor === 'string') {
      leftOut.push({ label, reasons: [descriptor] });
      continue;
    }
    const lacking = descriptor.requires.filter((requirement) => !provides.has(requirement));
    const reasons =
      lacking.length > 0
        ? [`needs ${lacking.map((requirement) => NEEDED[requirement]).join(', ')}`]
        : registry.check(name, { algorithm, ...size });
    if (reasons.length > 0) leftOut.push({ label, reasons });
    else ready.push({ column, descriptor, algorithm });
  }
  return { ready, leftOut };
}

const NEEDED: Readonly<Record<Requirement, string>> = {
  lengths: 'response lengths',
  logprobs: 'log-probs of the sampled tokens',
  values: "a critic's values",
  referenceLogprobs: 'log-probs of a reference policy',
  teacherLogprobs: 'log-probs of a teacher',
  greedyBaseline: 'a greedy rollout of each task',
  rewardComponents: 'named reward components',
  stepAnchors: 'the state of each step',
};

function describe(name: string, registry: EstimatorRegistry): EstimatorDescriptor | string {
  try {
    return registry.describe(name);
  } catch (thrown) {
    if (RllmError.isInstance(thrown) && thrown.code !== 'UNKNOWN_NAME') return thrown.message;
    throw thrown;
  }
}
