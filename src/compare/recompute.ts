import { type EstimatorRegistry, selectTrainable, stepSizeOf } from '../advantage/index.js';
import type { RllmConfig } from '../config/types.js';
import { RllmError } from '../errors.js';
import { applyRejectionSampling } from '../filtering/index.js';
import type { GroupingHook } from '../grouping/index.js';
import {
  EMPTY_REJECTION_STATE,
  type Episode,
  type Trajectory,
  type TrajectoryGroup,
} from '../types/index.js';
import type { RecomputedTrajectory } from './advantage-change.js';
import type { Column } from './column.js';
import { inputOfGroups } from './comparison-input.js';
import { estimateColumn } from './estimate-column.js';
import { groupEpisodes } from './group-episodes.js';
import { type PreparedColumn, prepareColumns } from './prepare-columns.js';
import { advantageOf, type TrajectoryAdvantage } from './trajectory-advantage.js';

/** The rollouts of one step, as they were saved. */
export interface EpisodesOfStep {
  readonly step: number;
  readonly episodes: readonly Episode[];
}

/** What stages 2, 3 and 6 of a step read. */
export interface RecomputeSetting {
  /** Of the run: what it plans is what the estimator is asked about, whatever the filters left of a step. */
  readonly config: Pick<
    RllmConfig,
    'algorithm' | 'transform' | 'compactFiltering' | 'rejectionSample' | 'rollout' | 'data'
  >;
  readonly groupingHook: GroupingHook;
  readonly registry: EstimatorRegistry;
}

/**
 * Replays the saved episodes of a run through grouping, filtering and another estimator, step by step: old and new advantage of
 * every trajectory that is no greedy baseline, in order. Rejection sampling and an estimator with state go on from step to step, as in training.
 *
 * A trajectory that waits in rejection sampling when its step ends has no new advantage in that step, as it had no old one when
 * its episode was saved. The advantages of the episodes given are replaced by the new ones.
 *
 * @throws RllmError SETTING_IMPOSSIBLE when the episodes lack what the estimator needs, or it fails on them; UNKNOWN_NAME,
 *   CONFIG_INVALID, GROUPING_HOOK, REWARD_MISSING, REWARD_NOT_FINITE.
 */
export async function* recomputeAdvantages(
  steps: AsyncIterable<EpisodesOfStep>,
  column: Column,
  setting: RecomputeSetting,
): AsyncGenerator<readonly RecomputedTrajectory[], void, undefined> {
  const { registry, config, groupingHook } = setting;
  const { transform, compactFiltering } = config;
  const grouping = { transform, compactFiltering, groupingHook };
  const isNeeded = registry.requirementsOf(column.name).has('greedyBaseline');
  const baseline = { isNeeded, missing: config.algorithm.missingReward };
  let waiting = EMPTY_REJECTION_STATE;
  let prepared: PreparedColumn | undefined;
  for await (const { step, episodes } of steps) {
    const old = takeAdvantages(episodes);
    const { rollouts, groups } = groupEpisodes(episodes, grouping, baseline);
    const selected = selectTrainable(groups, { ...config.algorithm, usePrecomputedAdvantage: false });
    const kept = applyRejectionSampling(rollouts, selected.groups, config.rejectionSample, waiting);
    waiting = kept.state;
    if (kept.groups.length > 0) {
      prepared ??= await prepare(column, setting, kept.groups, step);
      const failure = estimateColumn(kept.groups, prepared, registry);
      if (failure !== undefined) throw impossible(column, step, failure);
    }
    yield rollouts.flatMap((episode) =>
      episode.trajectories.map((trajectory) =>
        recomputed(step, episode, trajectory, old.get(trajectory) ?? null),
      ),
    );
  }
}

/** What each trajectory's steps carry, which they carry no longer. */
function takeAdvantages(episodes: readonly Episode[]): ReadonlyMap<Trajectory, TrajectoryAdvantage | null> {
  const old = new Map<Trajectory, TrajectoryAdvantage | null>();
  for (const { trajectories } of episodes) {
    for (const trajectory of trajectories) {
      old.set(trajectory, advantageOf(trajectory));
      for (const step of trajectory.steps) delete step.advantage;
    }
  }
  return old;
}

async function prepare(
  column: Column,
  { config, registry }: RecomputeSetting,
  groups: readonly TrajectoryGroup[],
  step: number,
): Promise<PreparedColumn> {
  const { ready, leftOut } = await prepareColumns([column], {
    algorithm: config.algorithm,
    registry,
    provides: inputOfGroups(groups).provides,
    size: stepSizeOf(config),
  });
  const [prepared] = ready;
  if (prepared !== undefined) return prepared;
  throw impossible(column, step, leftOut.flatMap(({ reasons }) => reasons).join('; '));
}

function impossible({ label }: Column, step: number, reason: string): RllmError {
  return new RllmError(
    'SETTING_IMPOSSIBLE',
    `The estimator "${label}" cannot be computed on the episodes of step ${step}: ${reason}`,
  );
}

function recomputed(
  step: number,
  { taskId, rolloutIndex }: Episode,
  trajectory: Trajectory,
  old: TrajectoryAdvantage | null,
): RecomputedTrajectory {
  const { name, uid, reward = null } = trajectory;
  const now = advantageOf(trajectory);
  return {
    step,
    taskId,
    rolloutIndex,
    role: name,
    uid,
    reward,
    old: old?.mean ?? null,
    new: now?.mean ?? null,
    ...(now?.tokens === undefined ? {} : { newTokens: now.tokens }),
  };
}
