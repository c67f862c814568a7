import type { AlgorithmConfig } from '../config/types.js';
import { messageOf, RllmError } from '../errors.js';
import type { Dropped } from '../filtering/index.js';
import type { Metrics, TrajectoryGroup } from '../types/index.js';
import { advantageMetrics, difficultyMetrics, rewardMetrics } from './advantage-metrics.js';
import { checkEstimates } from './check-estimates.js';
import type { AdvantageBatch, AdvantageEstimator } from './estimator.js';
import { copyGroups } from './group-rewards.js';
import { carriesAdvantages, isPrecomputed, selectTrainable } from './select-trainable.js';
import { clearAdvantages, settlePrecomputed, writeAdvantages, writeConstant } from './write-advantages.js';

export interface CollectOptions {
  /** Where estimators are looked up: an `EstimatorRegistry`. */
  readonly registry: { get(name: string): AdvantageEstimator };
  /** `false` only collects rewards: no estimator is called and no step is written. Default true. */
  readonly collectAdvantage?: boolean;
}

export interface Collection {
  readonly metrics: Metrics;
  /** What trains: the groups given, less what was dropped. */
  readonly groups: readonly TrajectoryGroup[];
  /** Trajectories that do not train, for the ledger. Their steps have no advantage. */
  readonly dropped: readonly Dropped[];
  readonly warnings: readonly { readonly code: 'ADVANTAGES_OVERWRITTEN'; readonly message: string }[];
}

/**
 * Stage 6: credit of every trajectory, written to `advantage` of each of its steps, and the metrics of it.
 *
 * Groups are partitioned by role, and the estimator of each role (`estimatorMap`, else `estimator`) is called once with all of
 * them. It sees copies of the scored rewards only, its answer is checked and copied. Under `loneTrajectory: "zero"` and
 * `"drop"` it does not see groups of one, so that they do not move the others either.
 *
 * @throws RllmError REWARD_MISSING, REWARD_NOT_FINITE by `missingReward`; UNKNOWN_NAME; ESTIMATOR_THREW with the cause;
 *   ESTIMATOR_OUTPUT; ADVANTAGE_LENGTH, ADVANTAGE_NOT_FINITE for precomputed advantages.
 */
export function collectRewardsAndAdvantages(
  groups: readonly TrajectoryGroup[],
  algorithm: AlgorithmConfig,
  options: CollectOptions,
): Collection {
  const { registry, collectAdvantage = true } = options;
  const selection = selectTrainable(groups, algorithm);
  const metrics: Metrics = {};
  const warnings: { code: 'ADVANTAGES_OVERWRITTEN'; message: string }[] = [];
  for (const [role, own] of partitionByRole(selection.groups)) {
    const precomputed = own.filter((group) => isPrecomputed(group, algorithm));
    const estimated = own.filter((group) => !isPrecomputed(group, algorithm));
    const rewards = rewardsOf(estimated);
    if (estimated.length > 0) {
      Object.assign(metrics, rewardMetrics(role, flatten(rewards)), difficultyMetrics(role, rewards));
    }
    if (!collectAdvantage) continue;
    const name = estimatorOf(role, algorithm);
    const overwritten = estimated.filter(carriesAdvantages).length;
    if (overwritten > 0) warnings.push(overwriteWarning(role, name, overwritten));
    const advantages = [
      ...precomputed.map(settlePrecomputed),
      ...(estimated.length > 0
        ? estimateRole({ role, rewards, groups: estimated, algorithm }, name, registry.get(name))
        : []),
    ];
    Object.assign(metrics, advantageMetrics(role, flatten(advantages)));
  }
  if (collectAdvantage) {
    for (const { trajectory } of selection.dropped) if (trajectory !== null) clearAdvantages(trajectory);
  }
  return { metrics, groups: selection.groups, dropped: selection.dropped, warnings };
}

/** Name of the estimator of a role. */
export function estimatorOf(role: string, algorithm: AlgorithmConfig): string {
  const { estimator, estimatorMap } = algorithm;
  return Object.hasOwn(estimatorMap, role) ? (estimatorMap[role] ?? estimator) : estimator;
}

function partitionByRole(groups: readonly TrajectoryGroup[]): Map<string, TrajectoryGroup[]> {
  const byRole = new Map<string, TrajectoryGroup[]>();
  for (const group of groups) {
    const own = byRole.get(group.role);
    if (own === undefined) byRole.set(group.role, [group]);
    else own.push(group);
  }
  return byRole;
}

/** Estimates one role and writes its steps; returns the advantages for metrics. */
function estimateRole(batch: AdvantageBatch, name: string, estimator: AdvantageEstimator): Float64Array[] {
  const { role, groups, algorithm } = batch;
  const apart = algorithm.loneTrajectory === 'reward' ? [] : groups.filter(isLone);
  for (const group of apart) writeConstant(group, 0);
  const seen = apart.length === 0 ? groups : groups.filter((group) => !isLone(group));
  const zeros = new Float64Array(apart.length);
  if (seen.length === 0) return [zeros];
  const shown = apart.length === 0 ? batch : { ...batch, groups: seen, rewards: rewardsOf(seen) };
  let output: unknown;
  try {
    output = estimator.estimate(shown);
  } catch (cause) {
    throw new RllmError(
      'ESTIMATOR_THREW',
      `The advantage estimator "${name}" threw for role "${role}": ${messageOf(cause)}`,
      { cause, details: { estimator: name, role } },
    );
  }
  const checked = checkEstimates(output, seen, { estimator: name, role });
  writeAdvantages(seen, checked);
  return [checked.values, zeros];
}

function isLone({ trajectories }: TrajectoryGroup): boolean {
  return trajectories.length === 1;
}

/** A fresh copy: what an estimator does to it touches nobody else. Selection has checked that every reward is there. */
function rewardsOf(groups: readonly TrajectoryGroup[]): Float64Array[] {
  return copyGroups(groups.map(({ trajectories }) => trajectories.map(({ reward }) => reward ?? Number.NaN)));
}

function flatten(parts: readonly Float64Array[]): Float64Array {
  let total = 0;
  for (const part of parts) total += part.length;
  const flat = new Float64Array(total);
  let end = 0;
  for (const part of parts) {
    flat.set(part, end);
    end += part.length;
  }
  return flat;
}

function overwriteWarning(
  role: string,
  name: string,
  count: number,
): { code: 'ADVANTAGES_OVERWRITTEN'; message: string } {
  return {
    code: 'ADVANTAGES_OVERWRITTEN',
    message: `${count} groups of role "${role}" carry advantages of their own, which "${name}" overwrites; set algorithm.usePrecomputedAdvantage to keep them.`,
  };
}
