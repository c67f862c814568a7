import {
  builtInEstimators,
  collectRewardsAndAdvantages,
  EstimatorRegistry,
  selectTrainable,
} from '../../src/advantage/index.js';
import { resolveConfig } from '../../src/config/index.js';
import { declarationsOf } from '../../src/declarations.js';
import {
  applyRejectionSampling,
  type Dropped,
  type SolveCounts,
  settleLedger,
} from '../../src/filtering/index.js';
import { taskRoleGrouping, transformEpisodesToTrajectoryGroups } from '../../src/grouping/index.js';
import type { Ragged } from '../../src/ragged.js';
import { batchMetrics } from '../../src/trainer/episode-metrics.js';
import type { Episode, Metrics, TrajectoryGroup } from '../../src/types/index.js';
import { type Seconds, secondsOf } from './measure.js';

/** What each stage takes, its metrics included. */
export interface Stages {
  readonly group: Seconds;
  readonly filter: Seconds;
  readonly advantages: Seconds;
  /** The ledger and the metrics of the rollouts, which the trainer has besides: the numpy version has neither. */
  readonly accounts: Seconds;
}

const config = resolveConfig({ rejectionSample: { mode: 'group' } });
const registry = new EstimatorRegistry();
for (const estimator of builtInEstimators) {
  for (const declaration of declarationsOf(estimator)) registry.add(declaration, 'built-in');
}

/** The path that the trainer takes from episodes to advantages. */
export function walkPath(episodes: readonly Episode[]): {
  readonly stages: Stages;
  readonly groups: readonly TrajectoryGroup[];
  readonly metrics: Metrics;
} {
  const { transform, compactFiltering, rejectionSample, algorithm } = config;
  let groups: readonly TrajectoryGroup[] = [];
  let rewards: Ragged | undefined;
  let solved: SolveCounts | undefined;
  let dropped: readonly Dropped[] = [];
  const metrics: Metrics = {};
  const group = secondsOf(() => {
    const result = transformEpisodesToTrajectoryGroups(episodes, {
      transform,
      compactFiltering,
      groupingHook: taskRoleGrouping,
    });
    ({ groups, rewards, solved } = result);
    Object.assign(metrics, result.metrics);
  });
  const filter = secondsOf(() => {
    const selected = selectTrainable(groups, algorithm, rewards);
    const result = applyRejectionSampling(episodes, selected.groups, rejectionSample, undefined, {
      rewards: selected.rewards,
      solved,
    });
    ({ groups, dropped } = result);
    Object.assign(metrics, result.metrics);
  });
  const advantages = secondsOf(() => {
    Object.assign(metrics, collectRewardsAndAdvantages(groups, algorithm, { registry }).metrics);
  });
  const accounts = secondsOf(() => {
    Object.assign(metrics, settleLedger({ started: episodes, trained: groups, dropped }).metrics);
    Object.assign(metrics, batchMetrics(episodes));
  });
  return { stages: { group, filter, advantages, accounts }, groups, metrics };
}
