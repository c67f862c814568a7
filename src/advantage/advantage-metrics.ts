import type { Ragged } from '../ragged.js';
import { percentileOf, summarize } from '../statistics.js';
import type { Metrics } from '../types/index.js';

/** An advantage smaller than this counts as zero, a group's std smaller than this as no spread, as in rLLM. */
const NEGLIGIBLE = 1e-8;

/** `reward/{role}/{mean,std,max,min}` over all trajectories of a role, population std, and `difficultyMetrics` of its groups. */
export function rewardMetrics(role: string, rewards: Ragged): Metrics {
  const { mean, std, max, min } = summarize(rewards.flat);
  const prefix = `reward/${role}`;
  return {
    [`${prefix}/mean`]: mean,
    [`${prefix}/std`]: std,
    [`${prefix}/max`]: max,
    [`${prefix}/min`]: min,
    ...difficultyMetrics(role, rewards),
  };
}

/**
 * `advantage/{role}/{mean,std,max,min,fraction_zero}`; nothing for no advantages. The last is the share with |A| < 1e-8.
 *
 * @param advantages  one per trajectory, or per response token where an estimator or a workflow gives them per token.
 */
export function advantageMetrics(role: string, advantages: Float64Array): Metrics {
  if (advantages.length === 0) return {};
  const { mean, std, max, min } = summarize(advantages);
  let zeros = 0;
  for (let i = 0; i < advantages.length; i++) if (Math.abs(advantages[i] as number) < NEGLIGIBLE) zeros++;
  const prefix = `advantage/${role}`;
  return {
    [`${prefix}/mean`]: mean,
    [`${prefix}/std`]: std,
    [`${prefix}/max`]: max,
    [`${prefix}/min`]: min,
    [`${prefix}/fraction_zero`]: zeros / advantages.length,
  };
}

/**
 * How much a role's groups can teach. Over groups of two or more:
 *
 * - `batch/{role}/total` groups, `batch/{role}/informative` those with a std of at least 1e-8;
 * - `batch/{role}/fractions/effective` informative / total, `…/too_easy` and `…/too_hard` the share of groups without spread
 *   whose mean is ≥ 1 and ≤ 0 (other uniform groups count in neither);
 * - `batch/{role}/group_reward_mean/p{10,50,90}` and `…/group_reward_std/p{10,50,90}`, linear percentiles as numpy's.
 *
 * Without such groups `total` and `informative` are 0 and the rest is absent.
 */
function difficultyMetrics(role: string, { flat, starts, length }: Ragged): Metrics {
  const prefix = `batch/${role}`;
  let total = 0;
  for (let g = 0; g < length; g++) if ((starts[g + 1] as number) - (starts[g] as number) > 1) total++;
  if (total === 0) return { [`${prefix}/total`]: 0, [`${prefix}/informative`]: 0 };
  const means = new Float64Array(total);
  const stds = new Float64Array(total);
  let informative = 0;
  let tooEasy = 0;
  let tooHard = 0;
  let next = 0;
  for (let g = 0; g < length; g++) {
    const from = starts[g] as number;
    const to = starts[g + 1] as number;
    if (to - from <= 1) continue;
    const { mean, std } = summarize(flat, from, to);
    means[next] = mean;
    stds[next++] = std;
    if (std >= NEGLIGIBLE) informative++;
    else if (mean >= 1) tooEasy++;
    else if (mean <= 0) tooHard++;
  }
  return {
    [`${prefix}/total`]: total,
    [`${prefix}/informative`]: informative,
    [`${prefix}/fractions/effective`]: informative / total,
    [`${prefix}/fractions/too_easy`]: tooEasy / total,
    [`${prefix}/fractions/too_hard`]: tooHard / total,
    ...percentiles(`${prefix}/group_reward_mean`, means),
    ...percentiles(`${prefix}/group_reward_std`, stds),
  };
}

function percentiles(prefix: string, values: Float64Array): Metrics {
  const sorted = values.sort();
  return {
    [`${prefix}/p10`]: percentileOf(sorted, 10),
    [`${prefix}/p50`]: percentileOf(sorted, 50),
    [`${prefix}/p90`]: percentileOf(sorted, 90),
  };
}
