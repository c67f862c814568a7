import { RllmError } from '../errors.js';
import type { Episode } from '../types/index.js';
import { METRIC_RULES } from './recorder.js';

/**
 * Checks that what an episode counts with are numbers, which a workflow without types need not give. NaN and infinities are: of
 * rewards, `algorithm.missingReward` deals with them.
 *
 * @throws RllmError WORKFLOW_FAILED that names the first that is none, or a metric rule that there is not.
 */
export function checkNumbers({ trajectories, metrics, metricRules = {} }: Episode): void {
  for (const { name, reward, rewards = {}, steps } of trajectories) {
    // Null is taken for none, as everywhere.
    checkNumber(reward ?? 0, `reward of the trajectory "${name}"`);
    for (const [part, value] of Object.entries(rewards))
      checkNumber(value, `part "${part}" of the reward of "${name}"`);
    for (const step of steps) checkNumber(step.reward, `reward of a step of "${name}"`);
  }
  for (const [name, value] of Object.entries(metrics)) checkNumber(value, `metric "${name}"`);
  for (const [name, rule] of Object.entries(metricRules)) {
    if (METRIC_RULES.includes(rule)) continue;
    throw new RllmError(
      'WORKFLOW_FAILED',
      `The metric "${name}" has the rule ${JSON.stringify(rule)}; it is one of ${METRIC_RULES.join(', ')}.`,
    );
  }
}

function checkNumber(value: unknown, what: string): void {
  if (typeof value === 'number') return;
  const given = value === null ? 'null' : `a value of type ${typeof value}`;
  throw new RllmError('WORKFLOW_FAILED', `The ${what} must be a number; got ${given}.`);
}
