import { type EstimatorDescriptor, type EstimatorRegistry, stepSizeOf } from '../advantage/index.js';
import { formatPath, type RllmConfig } from '../config/index.js';
import type { SettingFault } from './check-names.js';
import { namedEstimators } from './named-estimators.js';

/**
 * What estimators say about the options they are given, used or not, and, where the run trains, about the run as a whole.
 *
 * @param used  those that the config names and that could be constructed, by the path that names them.
 */
export async function checkEstimators(
  config: RllmConfig,
  estimators: EstimatorRegistry,
  used: ReadonlyMap<string, EstimatorDescriptor>,
  doesNotTrain: boolean,
): Promise<readonly SettingFault[]> {
  const { algorithm } = config;
  const faults: SettingFault[] = [];
  const unsound = new Set<string>();
  const given = Object.keys(algorithm.estimatorOptions);
  for (const name of new Set([...given, ...namedEstimators(config).map(([, named]) => named)])) {
    if (!estimators.has(name)) continue;
    const path = formatPath(['algorithm', 'estimatorOptions', name]);
    const problems = await estimators.checkOptions(name, algorithm);
    faults.push(...problems.map(({ at, message }) => ({ path: path + at, message })));
    if (problems.length > 0) unsound.add(name);
  }
  if (doesNotTrain) return faults;
  const plan = { algorithm, ...stepSizeOf(config) };
  for (const [path, { name }] of used) {
    if (unsound.has(name)) continue;
    const reasons = estimators.check(name, plan);
    faults.push(...reasons.map((reason) => ({ path, message: `"${name}" cannot work here: ${reason}` })));
  }
  return faults;
}
