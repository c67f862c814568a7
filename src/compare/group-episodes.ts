import type { CompactFilteringConfig, TransformConfig } from '../config/types.js';
import {
  attachBaselines,
  type GroupingHook,
  transformEpisodesToTrajectoryGroups,
} from '../grouping/index.js';
import type { Episode, TrajectoryGroup } from '../types/index.js';

/** How a run makes groups of episodes: what stage 2 of a step reads. */
export interface Grouping {
  readonly transform: TransformConfig;
  readonly compactFiltering: CompactFilteringConfig;
  readonly groupingHook: GroupingHook;
}

/** Which groups go because their greedy rollout failed. */
export interface BaselinePolicy {
  /** The estimator of a role compares with a greedy rollout. */
  readonly isNeeded: (role: string) => boolean;
  readonly missing: 'error' | 'exclude';
}

export interface GroupedEpisodes {
  /** The rollouts that train; greedy ones are not among them. */
  readonly rollouts: readonly Episode[];
  readonly groups: readonly TrajectoryGroup[];
}

/**
 * Stage 2 on saved episodes: their groups, with the greedy rollouts that were saved among them as baselines.
 *
 * @throws RllmError GROUPING_HOOK
 */
export function groupEpisodes(
  episodes: readonly Episode[],
  { transform, compactFiltering, groupingHook }: Grouping,
  { isNeeded, missing }: BaselinePolicy,
): GroupedEpisodes {
  const rollouts = episodes.filter((episode) => !isGreedy(episode));
  const { groups } = transformEpisodesToTrajectoryGroups(rollouts, {
    transform,
    compactFiltering,
    groupingHook,
  });
  const attached = attachBaselines(groups, episodes.filter(isGreedy), {
    transform,
    needsBaseline: isNeeded,
    missing,
  });
  return { rollouts, groups: attached.groups };
}

function isGreedy({ info }: Episode): boolean {
  return info['greedy'] === true;
}
