import type { Episode, Metrics, TrajectoryGroup } from '../types/index.js';
import { DROP_REASONS, type Dropped, type DropReason, rolloutsOf } from './drop-reason.js';
import { RolloutPlaces } from './rollout-places.js';

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

/** What became of a rollout, as one number: that of its reason in `ORDER`, or one of these. The largest of several counts. */
const REASONS = new Map(ORDER.map((reason, r) => [reason, r]));
const WAITS = ORDER.length;
const TRAINED = ORDER.length + 1;

/**
 * Settles every rollout as trained, waiting, or dropped for exactly one reason. A rollout of which one trajectory trains is
 * trained, whatever became of its others; of several reasons the one counts that came nearest to training.
 */
export function settleLedger(parts: LedgerParts): Ledger {
  const { started, carried = [], waiting = [], trained, dropped } = parts;
  const rollouts = carried.length === 0 ? started : [...carried, ...started];
  const places = new RolloutPlaces(rollouts);
  // A place of 0 is open: nothing is known of the rollout there.
  const outcomes = new Uint8Array(rollouts.length);
  const settle = (of: Pick<Dropped, 'rollouts' | 'trajectories'>, outcome: number): void => {
    places.visit(of, (place) => {
      outcomes[place] = Math.max(outcomes[place] as number, 1 + outcome);
    });
  };
  for (const one of dropped) settle(one, REASONS.get(one.reason) as number);
  settle({ rollouts: waiting, trajectories: [] }, WAITS);
  for (const group of trained)
    settle({ rollouts: rolloutsOf(group), trajectories: group.trajectories }, TRAINED);
  const counts = new Array<number>(2 + TRAINED).fill(0);
  for (const outcome of outcomes) (counts[outcome] as number)++;
  const [open = 0, ...settled] = counts;
  const sums = {
    started: started.length,
    carried: carried.length,
    trained: settled[TRAINED] as number,
    waiting: settled[WAITS] as number,
    dropped: new Map(
      ORDER.flatMap((reason, r) =>
        pairOf(reason, (settled[r] as number) + (reason === 'not_trained' ? open : 0)),
      ),
    ),
  };
  return { ...sums, metrics: metricsOf(sums), explanation: sums.trained > 0 ? null : explain(sums) };
}

type Sums = Omit<Ledger, 'metrics' | 'explanation'>;

function pairOf(reason: DropReason, count: number): [DropReason, number][] {
  return count === 0 ? [] : [[reason, count]];
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
