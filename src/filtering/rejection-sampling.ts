import type { RejectionSamplingConfig } from '../config/types.js';
import type { Ragged } from '../ragged.js';
import { isUniform } from '../statistics.js';
import {
  EMPTY_REJECTION_STATE,
  type Episode,
  type Metrics,
  type RejectionSamplingState,
  type Trajectory,
  type TrajectoryGroup,
  wholeOf,
} from '../types/index.js';
import { type Dropped, droppedGroup } from './drop-reason.js';
import { countSolved, type SolveCounts } from './solve-counts.js';

export interface RejectionSampling {
  /** What trains in this step; none while `episode` mode waits. */
  readonly groups: readonly TrajectoryGroup[];
  /** The episodes behind `groups`: this batch's, after those of earlier batches that waited; none while `episode` mode waits. */
  readonly episodes: readonly Episode[];
  /** What waits for the next batch: plain data, goes into the checkpoint. Its groups hold the very trajectories of its episodes. */
  readonly state: RejectionSamplingState;
  readonly metrics: Metrics;
  readonly dropped: readonly Dropped[];
  /** In one sentence why this batch waits; `null` when it does not. */
  readonly waiting: string | null;
}

/**
 * Stage 3: leaves out groups that cannot teach. Nothing that is given is changed.
 *
 * In every mode groups with fewer than `minTrajsPerGroup` trajectories are dropped. Then:
 * - `none`: nothing more.
 * - `group`: groups whose rewards are all equal are dropped, by their spread, exactly. A group with a missing or non-finite
 *   reward stays, so that `algorithm.missingReward` decides about it.
 * - `episode`: what is kept waits, batch after batch, until the tasks that were solved by some of their rollouts number
 *   `minPartialSolveTasks`; then all of it trains at once, and waiting starts over.
 *
 * Metrics are those of this batch, as in the reference but for two things: it adds up `batch/*` over batches that wait, and its
 * `batch/num_tasks` is 1 for a batch without episodes.
 *
 * - `batch/num_tasks` tasks with a rollout left (see `countSolved`), 1 when none is left of some, 0 for an empty batch;
 *   `batch/solve_none`, `batch/solve_all`, `batch/solve_partial` shares of them.
 * - `batch/groups_before_filter`, `batch/groups_after_filter`, `batch/groups_dropped_insufficient_trajs`; in `group` mode also
 *   `batch/groups_dropped_uniform`; in `episode` mode `batch/partial_solve_tasks`, accumulated, and `batch/groups_waiting`.
 *
 * @param known  what need not be read once more, see `KnownBefore`.
 */
export function applyRejectionSampling(
  episodes: readonly Episode[],
  groups: readonly TrajectoryGroup[],
  config: RejectionSamplingConfig,
  state: RejectionSamplingState = EMPTY_REJECTION_STATE,
  known: KnownBefore = {},
): RejectionSampling {
  const { mode, minPartialSolveTasks } = config;
  const { kept, small, uniform } = sortOut(groups, config, known.rewards);
  const left = onlyIn(small, kept, uniform);
  const solved = (left.size === 0 ? known.solved : undefined) ?? countSolved(episodes, left);
  const tasks = solved.none + solved.all + solved.partial;
  const share = (count: number): number => (tasks === 0 ? 0 : count / tasks);
  const metrics: Metrics = {
    'batch/num_tasks': episodes.length === 0 ? 0 : Math.max(tasks, 1),
    'batch/solve_none': share(solved.none),
    'batch/solve_all': share(solved.all),
    'batch/solve_partial': share(solved.partial),
    'batch/groups_before_filter': groups.length,
    'batch/groups_after_filter': kept.length,
    'batch/groups_dropped_insufficient_trajs': small.length,
  };
  const dropped = [
    ...small.map((group) => droppedGroup(group, 'too_few_trajectories')),
    ...uniform.map((group) => droppedGroup(group, 'uniform_group')),
  ];
  if (mode !== 'episode') {
    if (mode === 'group') metrics['batch/groups_dropped_uniform'] = uniform.length;
    return { groups: kept, episodes, state: EMPTY_REJECTION_STATE, metrics, dropped, waiting: null };
  }

  const partialSolveTasks = state.partialSolveTasks + solved.partial;
  const allGroups = [...state.groups, ...kept];
  const isReady = partialSolveTasks >= minPartialSolveTasks;
  metrics['batch/partial_solve_tasks'] = partialSolveTasks;
  metrics['batch/groups_waiting'] = isReady ? 0 : allGroups.length;
  if (isReady) {
    const allEpisodes = [...state.episodes, ...episodes];
    return {
      groups: allGroups,
      episodes: allEpisodes,
      state: EMPTY_REJECTION_STATE,
      metrics,
      dropped,
      waiting: null,
    };
  }
  const inGroups = new Set<Trajectory>(kept.flatMap(({ trajectories }) => trajectories.map(wholeOf)));
  const held = episodes.filter(({ trajectories }) => trajectories.some((one) => inGroups.has(one)));
  return {
    groups: [],
    episodes: [],
    state: { episodes: [...state.episodes, ...held], groups: allGroups, partialSolveTasks },
    metrics,
    dropped,
    waiting: `Waits with ${allGroups.length} groups: ${partialSolveTasks} of ${minPartialSolveTasks} partly solved tasks so far (this batch: ${solved.partial} partly, ${solved.all} by all rollouts, ${solved.none} by none).`,
  };
}

/** What stages before have found out about the episodes and groups as they are. */
export interface KnownBefore {
  /** Rewards of the groups, from `selectTrainable`. */
  readonly rewards?: Ragged | undefined;
  /** `countSolved` of the episodes with nothing dropped, from `transformEpisodesToTrajectoryGroups`. */
  readonly solved?: SolveCounts | undefined;
}

interface SortedOut {
  readonly kept: readonly TrajectoryGroup[];
  readonly small: readonly TrajectoryGroup[];
  readonly uniform: readonly TrajectoryGroup[];
}

function sortOut(
  groups: readonly TrajectoryGroup[],
  { mode, minTrajsPerGroup }: RejectionSamplingConfig,
  rewards: Ragged | undefined,
): SortedOut {
  const kept: TrajectoryGroup[] = [];
  const small: TrajectoryGroup[] = [];
  const uniform: TrajectoryGroup[] = [];
  const isEqual = rewards === undefined ? haveEqualRewards : equalIn(rewards);
  for (let g = 0; g < groups.length; g++) {
    const group = groups[g] as TrajectoryGroup;
    if (group.trajectories.length < minTrajsPerGroup) small.push(group);
    else if (mode === 'group' && isEqual(group, g)) uniform.push(group);
    else kept.push(group);
  }
  return { kept, small, uniform };
}

/** Whether all rewards are there and equal, as those of a group of one are. */
function haveEqualRewards({ trajectories }: TrajectoryGroup): boolean {
  const first = trajectories[0]?.reward;
  return Number.isFinite(first) && trajectories.every(({ reward }) => reward === first);
}

function equalIn({ flat, starts }: Ragged): (group: TrajectoryGroup, g: number) => boolean {
  return (_, g) => {
    const from = starts[g] as number;
    return Number.isFinite(flat[from]) && isUniform(flat, from, starts[g + 1]);
  };
}

/** Trajectories of small groups of which nothing stands in the others. */
function onlyIn(
  small: readonly TrajectoryGroup[],
  ...others: readonly (readonly TrajectoryGroup[])[]
): ReadonlySet<Trajectory> {
  const only = new Set<Trajectory>(small.flatMap(({ trajectories }) => trajectories.map(wholeOf)));
  if (only.size === 0) return only;
  // Only parts of one trajectory can stand on both sides.
  for (const groups of others) {
    for (const { trajectories } of groups)
      for (const trajectory of trajectories) only.delete(wholeOf(trajectory));
  }
  return only;
}
