import { mark } from '../../declarations.js';
import type { Ragged } from '../../ragged.js';
import type { AdvEstimatorOptions } from '../adv-estimator.js';
import type { AdvantageBatch, EstimateFunction } from '../estimator.js';
import { RewardBatch, TableEstimates } from '../table-views.js';

/**
 * An estimator of the SDK: a function that turns a table of rewards into one of advantages, in place.
 *
 * It is marked as `AdvEstimator(name, options)(fn)` would, but without listing it: were it listed, a second copy of the SDK in
 * the process would bring every built-in name a second time.
 */
export function declareBuiltIn(
  name: string,
  options: AdvEstimatorOptions,
  assign: (table: Ragged, batch: AdvantageBatch) => void,
): EstimateFunction {
  const fn: EstimateFunction = (batch) => {
    const table = RewardBatch.copyTable(batch);
    assign(table, batch);
    return new TableEstimates(table);
  };
  mark({ kind: 'estimator', name, form: 'function', target: fn, override: false, options: { ...options } });
  return fn;
}
