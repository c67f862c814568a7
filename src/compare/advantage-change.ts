import { isUniform, meanOf, stdOf, summarize } from '../statistics.js';

/** One trajectory of a run under its own estimator and under another. */
export interface RecomputedTrajectory {
  readonly step: number;
  readonly taskId: string;
  readonly rolloutIndex: number;
  readonly role: string;
  readonly uid: string;
  readonly reward: number | null;
  /** Means over the tokens; null when the trajectory did not, or would not, train in this step. */
  readonly old: number | null;
  readonly new: number | null;
  /** One per response token, where they differ between the tokens. */
  readonly newTokens?: readonly number[];
}

/** Advantages of one role in one step. Absent numbers (of none, of no spread) are null. */
export interface AdvantageSummary {
  readonly count: number;
  readonly mean: number | null;
  /** Population std. */
  readonly std: number | null;
  /** Share with |A| < 1e-8. */
  readonly fractionZero: number | null;
}

export interface AdvantageChange {
  readonly step: number;
  readonly role: string;
  readonly old: AdvantageSummary;
  readonly new: AdvantageSummary;
  /** Pearson's, over the trajectories that have both; null for fewer than two, or where either does not vary. */
  readonly correlation: number | null;
  /** Trajectories whose advantage changed its sign; from or to 0 does not count. */
  readonly signFlips: number;
  /** Trajectories that have both. */
  readonly both: number;
}

const NEGLIGIBLE = 1e-8;

/** Old against new, by step and role in the order of their first mention. */
export function advantageChanges(trajectories: readonly RecomputedTrajectory[]): AdvantageChange[] {
  const byStep = new Map<string, RecomputedTrajectory[]>();
  for (const trajectory of trajectories) {
    const key = JSON.stringify([trajectory.step, trajectory.role]);
    const own = byStep.get(key);
    if (own === undefined) byStep.set(key, [trajectory]);
    else own.push(trajectory);
  }
  return [...byStep.values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [changeOf(first.step, first.role, own)];
  });
}

/** The trajectories with the largest |new − old|, largest first, at most `count`; those that have both and differ. */
export function largestChanges(
  trajectories: readonly RecomputedTrajectory[],
  count: number,
): readonly RecomputedTrajectory[] {
  const size = (trajectory: RecomputedTrajectory): number =>
    trajectory.old === null || trajectory.new === null ? 0 : Math.abs(trajectory.new - trajectory.old);
  return trajectories
    .filter((trajectory) => size(trajectory) > NEGLIGIBLE)
    .sort((a, b) => size(b) - size(a))
    .slice(0, count);
}

function changeOf(step: number, role: string, own: readonly RecomputedTrajectory[]): AdvantageChange {
  const pairs = own.flatMap((one) =>
    one.old === null || one.new === null ? [] : [[one.old, one.new] as const],
  );
  const before = pairs.map(([old]) => old);
  const after = pairs.map(([, now]) => now);
  const isFlipped = (a: number, b: number): boolean =>
    Math.min(Math.abs(a), Math.abs(b)) >= NEGLIGIBLE && a > 0 !== b > 0;
  return {
    step,
    role,
    old: summaryOf(own.flatMap(({ old }) => (old === null ? [] : [old]))),
    new: summaryOf(own.flatMap((one) => (one.new === null ? [] : [one.new]))),
    correlation: correlationOf(before, after),
    signFlips: pairs.filter(([a, b]) => isFlipped(a, b)).length,
    both: pairs.length,
  };
}

function summaryOf(values: readonly number[]): AdvantageSummary {
  if (values.length === 0) return { count: 0, mean: null, std: null, fractionZero: null };
  const { mean, std } = summarize(values);
  const zeros = values.filter((value) => Math.abs(value) < NEGLIGIBLE).length;
  return { count: values.length, mean, std, fractionZero: zeros / values.length };
}

function correlationOf(a: readonly number[], b: readonly number[]): number | null {
  if (isUniform(a) || isUniform(b)) return null;
  const [meanA, meanB] = [meanOf(a), meanOf(b)];
  const [stdA, stdB] = [stdOf(a, meanA), stdOf(b, meanB)];
  const shared = a.map((value, i) => ((value - meanA) / stdA) * (((b[i] as number) - meanB) / stdB));
  return Math.min(1, Math.max(-1, meanOf(shared)));
}
