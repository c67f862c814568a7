import { attributed } from '../attribute.js';
import type { CompactFilteringConfig, TransformConfig } from '../config/types.js';
import {
  countTrajectories,
  type Dropped,
  isMasked,
  SolveCounter,
  type SolveCounts,
} from '../filtering/index.js';
import type { Ragged } from '../ragged.js';
import {
  type Episode,
  type Metrics,
  type Trajectory,
  type TrajectoryGroup,
  wholeOf,
} from '../types/index.js';
import { checkGroups } from './check-groups.js';
import type { GroupingHook } from './grouping-hook.js';
import { partOf } from './owned-hook.js';
import { completeEpisode, keepTrainable } from './prepare-episodes.js';
import { RoleGroups } from './role-groups.js';
import { taskRoleGrouping } from './task-role-grouping.js';

export interface TransformOptions {
  readonly transform: TransformConfig;
  readonly compactFiltering: CompactFilteringConfig;
  readonly groupingHook: GroupingHook;
}

export interface TransformResult {
  readonly groups: readonly TrajectoryGroup[];
  /** The episodes given, all of them. */
  readonly episodes: readonly Episode[];
  readonly metrics: Metrics;
  /** For the ledger. */
  readonly dropped: readonly Dropped[];
  /** Of the groups, where all are there, finite and without named parts; undefined where they are still to be read. */
  readonly rewards: Ragged | undefined;
  /** `countSolved` of all the episodes; undefined where it is still to be counted. */
  readonly solved: SolveCounts | undefined;
  /** Has an entry when nothing is compared with anything: every group has one trajectory although tasks have several rollouts. */
  readonly warnings: readonly { readonly code: 'SINGLETON_GROUPS'; readonly message: string }[];
}

/**
 * Stage 2: episodes to groups. In this order: unnamed trajectories get a name, missing rewards are taken from steps, compact
 * filtering leaves rollouts out by how they ended, trajectories without steps (or, with `imputeMissingNames: false`, without a
 * name) are left out, and the hook groups what remains.
 *
 * Two things are written to the episodes given: `name` and `reward` of their trajectories, where they were missing. Their lists
 * stay as they are; the hook is shown copies of episodes that lost a trajectory. Groups hold the episodes' own trajectories, or
 * parts of them, which hold the episodes' own steps.
 *
 * Metrics: `grouping/num_trajs_before_filter` (all trajectories of all episodes), `grouping/num_trajs_after_filter` (those in
 * groups; each part counts), `grouping/num_groups`, `grouping/{avg,max,min}_group_size` (0 without groups), and with `imputeMissingNames: false`
 * `grouping/num_trajs_unnamed`.
 *
 * @throws RllmError GROUPING_HOOK when the hook throws, with the cause, or returns what does not fit.
 */
export function transformEpisodesToTrajectoryGroups(
  episodes: readonly Episode[],
  options: TransformOptions,
): TransformResult {
  const { transform, compactFiltering, groupingHook } = options;
  // The default hook takes each episode while it is at hand: going through all of them again would take as long as the rest. It
  // places every trajectory, once, with its origin, so that there is nothing to check.
  const byRole = groupingHook === taskRoleGrouping ? new RoleGroups(episodes.length) : undefined;
  const solved = new SolveCounter(episodes.length);
  const kept: Episode[] = [];
  const masked: Dropped[] = [];
  const unfit: Dropped[] = [];
  let before = 0;
  let rollouts = 0;
  for (let e = 0; e < episodes.length; e++) {
    const episode = episodes[e] as Episode;
    const { taskId, isCorrect, trajectories } = episode;
    before += trajectories.length;
    const task = trajectories.length === 0 ? -1 : solved.add(taskId, isCorrect);
    const isWhole = completeEpisode(episode, transform);
    if (isMasked(episode.terminationReason, compactFiltering)) {
      masked.push(maskedRollout(episode));
      continue;
    }
    const fit = isWhole ? episode : keepTrainable(episode, unfit);
    if (fit === undefined) continue;
    rollouts++;
    if (byRole === undefined) kept.push(fit);
    else byRole.add(episode, task, fit.trajectories);
  }
  const { groups, rewards } = byRole?.finish() ?? {
    groups: groupBy(groupingHook, kept, transform),
    rewards: undefined,
  };
  const dropped = [...masked, ...unfit, ...(byRole === undefined ? ungrouped(kept, groups) : [])];
  const metrics = groupingMetrics(before, groups);
  if (!transform.imputeMissingNames) {
    metrics['grouping/num_trajs_unnamed'] = countTrajectories(
      unfit.filter(({ reason }) => reason === 'unnamed'),
    );
  }
  return {
    groups,
    episodes,
    metrics,
    dropped,
    // A hook of one's own may have changed rewards, and what is correct.
    rewards,
    solved: byRole === undefined ? undefined : solved.counts(),
    warnings: singletonWarnings(rollouts, byRole === undefined ? kept : groups, groups),
  };
}

/** What a hook makes of the episodes, checked. What goes wrong names whose hook it is. */
function groupBy(
  hook: GroupingHook,
  episodes: readonly Episode[],
  transform: TransformConfig,
): readonly TrajectoryGroup[] {
  try {
    return checkGroups(hook(episodes, transform, optionsOf(transform)), episodes);
  } catch (cause) {
    throw attributed(cause, partOf(hook), 'threw', 'GROUPING_HOOK');
  }
}

function optionsOf({ groupingHook, groupingOptions }: TransformConfig): Readonly<Record<string, unknown>> {
  return Object.hasOwn(groupingOptions, groupingHook) ? (groupingOptions[groupingHook] ?? {}) : {};
}

function maskedRollout(episode: Episode): Dropped {
  return {
    reason: `filtered_${episode.terminationReason ?? 'unknown'}`,
    rollouts: [episode],
    trajectories: [],
  };
}

function ungrouped(episodes: readonly Episode[], groups: readonly TrajectoryGroup[]): Dropped[] {
  const grouped = new Set<Trajectory>(groups.flatMap(({ trajectories }) => trajectories.map(wholeOf)));
  return episodes.flatMap((episode) =>
    episode.trajectories
      .filter((trajectory) => !grouped.has(trajectory))
      .map((trajectory) => ({
        reason: 'not_grouped' as const,
        rollouts: [episode],
        trajectories: [trajectory],
      })),
  );
}

function groupingMetrics(before: number, groups: readonly TrajectoryGroup[]): Metrics {
  let after = 0;
  let max = 0;
  let min = groups[0]?.trajectories.length ?? 0;
  for (const { trajectories } of groups) {
    after += trajectories.length;
    max = Math.max(max, trajectories.length);
    min = Math.min(min, trajectories.length);
  }
  return {
    'grouping/num_trajs_before_filter': before,
    'grouping/num_trajs_after_filter': after,
    'grouping/num_groups': groups.length,
    'grouping/avg_group_size': groups.length === 0 ? 0 : after / groups.length,
    'grouping/max_group_size': max,
    'grouping/min_group_size': min,
  };
}

function singletonWarnings(
  rollouts: number,
  tasksOf: readonly { readonly taskId: string }[],
  groups: readonly TrajectoryGroup[],
): TransformResult['warnings'] {
  if (groups.length === 0 || groups.some(({ trajectories }) => trajectories.length > 1)) return [];
  const tasks = new Set(tasksOf.map(({ taskId }) => taskId));
  if (tasks.size === rollouts) return [];
  const ids = groups.slice(0, 3).map(({ groupId }) => `"${groupId}"`);
  return [
    {
      code: 'SINGLETON_GROUPS',
      message: `All ${groups.length} groups have one trajectory although tasks have several rollouts, so nothing is compared: ${ids.join(', ')}, … Do names differ between rollouts?`,
    },
  ];
}
