import {
  type Episode,
  type Metrics,
  type Trajectory,
  type TrajectoryGroup,
  wholeOf,
} from '../types/index.js';
import { DROP_REASONS, type Dropped, type DropReason } from './drop-reason.js';

export interface LedgerParts {
  /** Every episode of this batch, as the workflow engine gave it. */
  readonly started: readonly Episode[];
  /** Episodes of earlier batches that waited until now: those of the rejection state before this batch. */
  readonly carried?: readonly Episode[];
  /** Episodes that wait from now on: those of the rejection state after this batch. */
  readonly waiting?: readonly Episode[];
  /** Groups that the update was made of; none when there was no update. */
  readonly trained: readonly TrajectoryGroup[];
  /** What each stage left out, all together. */
  readonly dropped: readonly Dropped[];
}

/** Where every rollout of a step ended. `started + carried = trained + waiting + the sum of dropped`, always. */
export interface Ledger {
  readonly started: number;
  readonly carried: number;
  /** Rollouts with at least one trajectory in a group that trained. */
  readonly trained: number;
  readonly waiting: number;
  /** Rollouts by the one reason for which they did not train. */
  readonly dropped: ReadonlyMap<DropReason, number>;
  /** `ledger/started`, `ledger/trained`, `ledger/dropped/{reason}` for each reason there was; in `episode` mode also `ledger/carried`, `ledger/waiting`. */
  readonly metrics: Metrics;
  /** Why the step trained on nothing, in one sentence; `null` when it trained on something. */
  readonly explanation: string | null;
}

const ORDER = Object.keys(DROP_REASONS) as DropReason[];

/**
 * Settles every rollout as trained, waiting, or dropped for exactly one reason. A rollout of which one trajectory trains is
 * trained, whatever became of its others; of several reasons the one counts that came nearest to training.
 */
export function settleLedger(parts: LedgerParts): Ledger {
  const { started, carried = [], waiting = [], trained, dropped } = parts;
  const training = new Set<Trajectory>(trained.flatMap(({ trajectories }) => trajectories.map(wholeOf)));
  const held = new Set<Episode>(waiting);
  const reasons = furthestReasons([...carried, ...started], dropped);
  let trainedCount = 0;
  let waitingCount = 0;
  const counts = new Map<DropReason, number>();
  for (const episode of [...carried, ...started]) {
    if (episode.trajectories.some((trajectory) => training.has(trajectory))) trainedCount++;
    else if (held.has(episode)) waitingCount++;
    else {
      const reason = reasons.get(episode) ?? 'not_trained';
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
  }
  const ordered = new Map(ORDER.flatMap((reason) => pairOf(reason, counts.get(reason))));
  const sums = {
    started: started.length,
    carried: carried.length,
    trained: trainedCount,
    waiting: waitingCount,
    dropped: ordered,
  };
  return { ...sums, metrics: metricsOf(sums), explanation: trainedCount > 0 ? null : explain(sums) };
}

type Sums = Omit<Ledger, 'metrics' | 'explanation'>;

function furthestReasons(
  episodes: readonly Episode[],
  dropped: readonly Dropped[],
): ReadonlyMap<Episode, DropReason> {
  const byTrajectory = new Map<Trajectory, Episode>();
  const byRollout = new Map<string, Map<number, Episode>>();
  for (const episode of episodes) {
    for (const trajectory of episode.trajectories) byTrajectory.set(trajectory, episode);
    const rollouts = byRollout.get(episode.taskId) ?? new Map<number, Episode>();
    byRollout.set(episode.taskId, rollouts.set(episode.rolloutIndex, episode));
  }
  const furthest = new Map<Episode, DropReason>();
  for (const { reason, taskId, rolloutIndex, trajectory } of dropped) {
    const episode =
      trajectory === null ? byRollout.get(taskId)?.get(rolloutIndex) : byTrajectory.get(wholeOf(trajectory));
    if (episode === undefined) continue;
    const before = furthest.get(episode);
    if (before === undefined || ORDER.indexOf(reason) > ORDER.indexOf(before)) furthest.set(episode, reason);
  }
  return furthest;
}

function pairOf(reason: DropReason, count: number | undefined): [DropReason, number][] {
  return count === undefined ? [] : [[reason, count]];
}

function metricsOf({ started, carried, trained, waiting, dropped }: Sums): Metrics {
  const metrics: Metrics = { 'ledger/started': started, 'ledger/trained': trained };
  if (carried > 0 || waiting > 0)
    Object.assign(metrics, { 'ledger/carried': carried, 'ledger/waiting': waiting });
  for (const [reason, count] of dropped) metrics[`ledger/dropped/${reason}`] = count;
  return metrics;
}

function explain({ started, carried, waiting, dropped }: Sums): string {
  const rollouts = started + carried;
  if (rollouts === 0) return 'Trained on nothing: the batch had no rollouts.';
  const parts = [...dropped].map(([reason, count]) => `${count} ${DROP_REASONS[reason]}`);
  if (waiting > 0) parts.push(`${waiting} wait for rejectionSample.minPartialSolveTasks`);
  return `Trained on none of ${rollouts} rollouts: ${parts.join('; ')}.`;
}
