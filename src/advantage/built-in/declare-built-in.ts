import { mark } from '../../declarations.js';
import type { AdvEstimatorOptions } from '../adv-estimator.js';
import type { EstimateFunction } from '../estimator.js';

/**
 * Marks a function as an estimator of the SDK, as `AdvEstimator(name, options)(fn)` would, but without listing it: were it
 * listed, a second copy of the SDK in the process would bring every built-in name a second time.
 */
export function declareBuiltIn(
  name: string,
  options: AdvEstimatorOptions,
  fn: EstimateFunction,
): EstimateFunction {
  mark({ kind: 'estimator', name, form: 'function', target: fn, override: false, options: { ...options } });
  return fn;
}
