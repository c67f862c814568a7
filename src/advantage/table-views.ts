import type { Ragged } from '../ragged.js';
import type { AdvantageBatch, AdvantageEstimates } from './estimator.js';
import { copyRewards } from './group-rewards.js';

/**
 * A batch whose `rewards` are made when an estimator first reads them: views of a table that the estimators of the SDK read as it
 * is. Plain data to everybody else: an enumerable property of its own.
 */
export class RewardBatch implements AdvantageBatch {
  readonly role: string;
  declare readonly rewards: readonly Float64Array[];
  readonly groups: AdvantageBatch['groups'];
  readonly algorithm: AdvantageBatch['algorithm'];
  readonly options: unknown;
  readonly #table: Ragged;

  constructor(table: Ragged, { role, groups, algorithm, options }: Omit<AdvantageBatch, 'rewards'>) {
    this.role = role;
    this.groups = groups;
    this.algorithm = algorithm;
    this.options = options;
    this.#table = table;
    defineView(this, 'rewards', table);
  }

  /** The rewards of a batch as a table of the caller's own, to work on in place. */
  static copyTable(batch: AdvantageBatch): Ragged {
    return batch instanceof RewardBatch && batch.#table.isUnseen
      ? batch.#table.copy()
      : copyRewards(batch.rewards);
  }
}

/** Advantages in a table, of which views are made when they are first read. */
export class TableEstimates implements AdvantageEstimates {
  declare readonly advantages: Float64Array[];
  /** The same arrays as `advantages`: without a value baseline there is no return apart from them, as in rLLM. */
  declare readonly returns: Float64Array[];
  readonly #table: Ragged;

  constructor(table: Ragged) {
    this.#table = table;
    defineView(this, 'advantages', table);
    defineView(this, 'returns', table);
  }

  /** The table of what an estimator returned, if it is such a table and nobody has looked into it. */
  static unseenTable(output: unknown): Ragged | undefined {
    return output instanceof TableEstimates && output.#table.isUnseen ? output.#table : undefined;
  }
}

function defineView(object: object, key: string, table: Ragged): void {
  Object.defineProperty(object, key, { enumerable: true, configurable: true, get: () => table.byGroup });
}
