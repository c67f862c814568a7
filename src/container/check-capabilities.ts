import type { EstimatorDescriptor, Requirement } from '../advantage/index.js';
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
  if (algorithm.klInReward.coefficient > 0) {
    const without = capabilities.referenceLogprobs === true ? [] : ['reference log-probs'];
    if (!capabilities.logprobs) without.push('log-probs');
    if (without.length > 0) {
      const message = `${who} gives no ${without.join(' and no ')}, of which the KL is made`;
      faults.push({ path: 'algorithm.klInReward.coefficient', message, expected: '0' });
    }
  }
  return [...faults, ...unmetRequirements(who, capabilities, estimators)];
}

/**
 * What estimators need and nobody brings. Lengths are always there, greedy baselines the trainer makes, and the rest comes from
 * the workflow, or is missed when advantages are collected.
 */
function unmetRequirements(
  who: string,
  capabilities: Able['capabilities'],
  estimators: ReadonlyMap<string, EstimatorDescriptor>,
): readonly SettingFault[] {
  const missing: Partial<Record<Requirement, string>> = {
    ...(capabilities.logprobs ? {} : { logprobs: `${who} gives no log-probs` }),
    ...(capabilities.values === true ? {} : { values: `${who} has no critic` }),
    ...(capabilities.referenceLogprobs === true
      ? {}
      : { referenceLogprobs: `${who} gives no reference log-probs` }),
  };
  return [...estimators].flatMap(([path, { name, requires, perToken }]) => {
    const reasons = requires.flatMap((requirement) => {
      const why = missing[requirement];
      return why === undefined ? [] : [`"${name}" needs ${requirement}, and ${why}`];
    });
    if (perToken && !capabilities.perTokenAdvantages) {
      reasons.push(`"${name}" gives an advantage to each token, and ${who} takes one per step`);
    }
    return reasons.map((message) => ({ path, message, expected: 'another estimator' }));
  });
}
