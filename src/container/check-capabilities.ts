import type { EstimatorDescriptor } from '../advantage/index.js';
import type { Backend } from '../backend/index.js';
import { formatPath, type RllmConfig } from '../config/index.js';
import { type SettingFault, unknownName } from './check-names.js';

/** A backend, or what is known of one before it is built. */
export type Able = Pick<Backend, 'name' | 'capabilities'>;

/**
 * Settings that the chosen backend cannot honour, each with what the backend can do instead.
 *
 * @param estimators    those that the config names, by the path that names them.
 * @param validateOnly  nothing will be trained, so that nothing of training is asked of the backend.
 */
export function checkCapabilities(
  config: RllmConfig,
  { name, capabilities }: Able,
  estimators: ReadonlyMap<string, EstimatorDescriptor>,
  validateOnly: boolean,
): readonly SettingFault[] {
  const { algorithm, trainer } = config;
  const who = `the backend "${name}"`;
  if (!capabilities.training) {
    if (validateOnly) return [];
    return [{ path: 'trainer.valOnly', message: `${who} cannot train`, expected: 'true' }];
  }
  const faults: SettingFault[] = [];
  const losses = Object.entries(algorithm.lossFnMap).map(
    ([role, loss]) => [formatPath(['algorithm', 'lossFnMap', role]), loss] as const,
  );
  if (algorithm.lossFn !== null) losses.unshift(['algorithm.lossFn', algorithm.lossFn]);
  for (const [path, loss] of losses) {
    faults.push(...unknownName(`loss of ${who}`, loss, path, capabilities.losses));
  }
  if (algorithm.maxGradNorm !== null && !capabilities.gradientClipping) {
    faults.push({ path: 'algorithm.maxGradNorm', message: `${who} cannot clip gradients`, expected: 'null' });
  }
  if (!capabilities.learningRateSchedules.includes(algorithm.lrSchedule)) {
    faults.push({
      path: 'algorithm.lrSchedule',
      message: `${who} has no schedule "${algorithm.lrSchedule}"`,
      expected: capabilities.learningRateSchedules.join(' | '),
    });
  }
  for (const key of ['miniBatches', 'updateEpochs'] as const) {
    if (algorithm[key] > 1 && !capabilities.miniBatches) {
      faults.push({ path: `algorithm.${key}`, message: `${who} takes one step per batch`, expected: '1' });
    }
  }
  if (trainer.saveFreq > 0 && !capabilities.checkpoints) {
    faults.push({ path: 'trainer.saveFreq', message: `${who} cannot save checkpoints`, expected: '0' });
  }
  return [...faults, ...unmetRequirements(who, capabilities.logprobs, estimators)];
}

/** What estimators need and no rollout brings. Lengths are always there; the rest is in the trajectories or it is not. */
function unmetRequirements(
  who: string,
  hasLogprobs: boolean,
  estimators: ReadonlyMap<string, EstimatorDescriptor>,
): readonly SettingFault[] {
  const missing: Partial<Record<EstimatorDescriptor['requires'][number], string>> = {
    values: 'no backend computes values',
    greedyBaseline: 'no greedy rollout is made',
    ...(hasLogprobs ? {} : { logprobs: `${who} gives no log-probs` }),
  };
  return [...estimators].flatMap(([path, { name, requires }]) =>
    requires.flatMap((requirement) => {
      const why = missing[requirement];
      if (why === undefined) return [];
      return [{ path, message: `"${name}" needs ${requirement}, and ${why}`, expected: 'another estimator' }];
    }),
  );
}
