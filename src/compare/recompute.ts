import { stepSizeOf } from '../advantage/index.js';
import { RllmError } from '../errors.js';
import type { Episode, Trajectory, TrajectoryGroup } from '../types/index.js';
import type { RecomputedTrajectory } from './advantage-change.js';
import type { Column } from './column.js';
import { inputOfGroups } from './comparison-input.js';
import { estimateColumn } from './estimate-column.js';
import { type PreparedColumn, prepareColumns } from './prepare-columns.js';
import { type EpisodesOfStep, keepsState, type ReplaySetting, trainedSteps } from './trained-steps.js';
import { advantageOf, type TrajectoryAdvantage } from './trajectory-advantage.js';

export interface RecomputeSetting extends ReplaySetting {
  /** This step alone; those before it are replayed for what it has from them. */
  readonly step?: number | undefined;
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
  const { registry, step: only } = setting;
  const isNeeded = registry.requirementsOf(column.name).has('greedyBaseline');
  let prepared: PreparedColumn | undefined;
  for await (const { step, episodes, rollouts, groups } of trainedSteps(steps, setting, () => isNeeded)) {
    const isWanted = only === undefined || step === only;
    const old = takeAdvantages(episodes);
    if (groups.length > 0 && (isWanted || keepsState(column.name, registry))) {
      prepared ??= await prepare(column, setting, groups, step);
      const failure = estimateColumn(groups, prepared, registry);
      if (failure !== undefined) throw impossible(column, step, failure);
    }
    if (!isWanted) continue;
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
