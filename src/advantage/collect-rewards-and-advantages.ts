import { type Attribution, nameOf } from '../attribute.js';
import type { AlgorithmConfig } from '../config/types.js';
import { messageOf, RllmError } from '../errors.js';
import type { Dropped } from '../filtering/index.js';
import type { Ragged } from '../ragged.js';
import { meanOf } from '../statistics.js';
import type { Metrics, TrajectoryGroup } from '../types/index.js';
import { advantageMetrics, rewardMetrics } from './advantage-metrics.js';
import { checkEstimates, checkReturns, valuesOfTable } from './check-estimates.js';
import type { AdvantageBatch, AdvantageEstimates, AdvantageEstimator, Requirement } from './estimator.js';
import { checkRequirements } from './estimator-input.js';
import { copyRewards, readRewards } from './group-rewards.js';
import { componentMetrics } from './reward-components.js';
import { carriesAdvantages, selectTrainable } from './select-trainable.js';
import { isShaping, shapeRewards } from './shape-rewards.js';
import { RewardBatch } from './table-views.js';
import {
  clearAdvantages,
  clipAdvantages,
  settlePrecomputed,
  writeAdvantages,
  writeConstant,
  writeReturns,
} from './write-advantages.js';

/** Where estimators are looked up: an `EstimatorRegistry`, or anything that gives them by name. */
export interface EstimatorSource {
  get(name: string): AdvantageEstimator;
  /** Validated options of an estimator; `{}` for every one where it is absent. */
  optionsOf?(name: string, algorithm: AlgorithmConfig): unknown;
  /** What an estimator requires; by default what the estimator itself says. */
  requirementsOf?(name: string): ReadonlySet<Requirement>;
  /** Who brought an estimator, for messages. */
  partOf?(name: string): Attribution;
}

export interface CollectOptions {
  readonly registry: EstimatorSource;
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
 * them. In this order, for every estimator alike:
 *
 * 1. `missingReward`: what has no finite reward is an error or is left out;
 * 2. `rewardClip`, `lengthPenalty`, `klInReward` shape what the estimator sees, see `shapeRewards`. Metrics are of the rewards as
 *    they are;
 * 3. `loneTrajectory`: under `zero` and `drop` the estimator does not see groups of one, so that they do not move others either;
 * 4. what the estimator requires must be in the trajectories;
 * 5. the estimator, which sees copies only, and whose answer is checked and copied;
 * 6. `advantageClip`, of precomputed advantages too. Returns per token, where an estimator gives them apart from advantages, go to
 *    `step.returns` as they are, for a critic.
 *
 * @throws RllmError REWARD_MISSING, REWARD_NOT_FINITE by `missingReward`; UNKNOWN_NAME; CONFIG_INVALID for options that the
 *   estimator does not take; ESTIMATOR_INPUT for what it requires and is not there; ESTIMATOR_THREW with the cause, or
 *   the code of an RllmError that the estimator threw; ESTIMATOR_OUTPUT; ADVANTAGE_LENGTH, ADVANTAGE_NOT_FINITE for precomputed advantages.
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
    const precomputed = algorithm.usePrecomputedAdvantage ? own.filter(carriesAdvantages) : [];
    const estimated = precomputed.length === 0 ? own : own.filter((group) => !carriesAdvantages(group));
    const isAll = estimated.length === selection.groups.length;
    const rewards = isAll ? selection.rewards : readRewards(estimated);
    if (estimated.length > 0) Object.assign(metrics, rewardMetrics(role, rewards));
    if (selection.haveParts) Object.assign(metrics, componentMetrics(role, estimated));
    if (!collectAdvantage) continue;
    const name = estimatorOf(role, algorithm);
    if (isShaping(algorithm) && estimated.length > 0) {
      shapeRewards(estimated, rewards.byGroup, algorithm);
      metrics[`reward/${role}/shaped_mean`] = meanOf(rewards.flat);
    }
    const advantages = precomputed.map((group) => settlePrecomputed(group, algorithm.advantageClip));
    if (estimated.length > 0) {
      const written = estimateRole(rewards, { role, groups: estimated, algorithm }, name, registry);
      advantages.push(...written.advantages);
      if (written.overwritten > 0) warnings.push(overwriteWarning(role, name, written.overwritten));
    }
    Object.assign(metrics, advantageMetrics(role, flatten(advantages)));
  }
  if (collectAdvantage) {
    for (const { trajectories } of selection.dropped) trajectories.forEach(clearAdvantages);
  }
  return { metrics, groups: selection.groups, dropped: selection.dropped, warnings };
}

/** Name of the estimator of a role. */
export function estimatorOf(role: string, algorithm: AlgorithmConfig): string {
  const { estimator, estimatorMap } = algorithm;
  return Object.hasOwn(estimatorMap, role) ? (estimatorMap[role] ?? estimator) : estimator;
}

function partitionByRole(
  groups: readonly TrajectoryGroup[],
): ReadonlyMap<string, readonly TrajectoryGroup[]> {
  const first = groups[0];
  if (first === undefined) return new Map();
  if (groups.every(({ role }) => role === first.role)) return new Map([[first.role, groups]]);
  const byRole = new Map<string, TrajectoryGroup[]>();
  for (const group of groups) {
    const own = byRole.get(group.role);
    if (own === undefined) byRole.set(group.role, [group]);
    else own.push(group);
  }
  return byRole;
}

/** What was written to the steps of a role. */
interface Written {
  /** For metrics. */
  readonly advantages: readonly Float64Array[];
  /** Groups that had advantages before. */
  readonly overwritten: number;
}

/** Estimates one role and writes its steps. */
function estimateRole(
  table: Ragged,
  batch: Omit<AdvantageBatch, 'rewards' | 'options'>,
  name: string,
  registry: EstimatorSource,
): Written {
  const { role, groups, algorithm } = batch;
  const apart = algorithm.loneTrajectory === 'reward' ? [] : groups.filter(isLone);
  let overwritten = 0;
  for (const group of apart) if (writeConstant(group, 0)) overwritten++;
  const seen = apart.length === 0 ? groups : groups.filter((group) => !isLone(group));
  const zeros = apart.length === 0 ? [] : [new Float64Array(apart.length)];
  if (seen.length === 0) return { advantages: zeros, overwritten };
  const estimator = registry.get(name);
  checkRequirements(name, registry.requirementsOf?.(name) ?? estimator.requires ?? NOTHING, seen);
  const options = registry.optionsOf?.(name, algorithm) ?? {};
  const rewards = apart.length === 0 ? table : copyRewards(table.byGroup.filter(({ length }) => length > 1));
  const part = registry.partOf?.(name) ?? { what: `advantage estimator "${name}"` };
  const call = { estimator: name, owner: part.owner, role };
  let output: AdvantageEstimates;
  try {
    output = estimator.estimate(new RewardBatch(rewards, { role, groups: seen, algorithm, options }));
  } catch (cause) {
    throw estimatorFailure(cause, part, { estimator: name, role });
  }
  const checked = valuesOfTable(output, rewards) ?? checkEstimates(output, seen, call);
  const returns = checked.perToken ? checkReturns(output, seen, call) : undefined;
  const clipped = clipAdvantages(checked, algorithm.advantageClip);
  overwritten += writeAdvantages(seen, clipped);
  if (returns !== undefined) writeReturns(seen, returns);
  return { advantages: [clipped.values, ...zeros], overwritten };
}

/** An error with a code keeps it, and what it says of the place: the estimator knows best what it lacked. */
function estimatorFailure(
  cause: unknown,
  part: Attribution,
  call: { readonly estimator: string; readonly role: string },
): RllmError {
  const who = nameOf(part);
  return RllmError.isInstance(cause)
    ? new RllmError(cause.code, `${who} failed for role "${call.role}": ${cause.message}`, {
        cause,
        details: { ...cause.details, ...call },
      })
    : new RllmError('ESTIMATOR_THREW', `${who} threw for role "${call.role}": ${messageOf(cause)}`, {
        cause,
        details: call,
      });
}

const NOTHING: ReadonlySet<Requirement> = new Set();

function isLone({ trajectories }: TrajectoryGroup): boolean {
  return trajectories.length === 1;
}

function flatten(parts: readonly Float64Array[]): Float64Array {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
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
