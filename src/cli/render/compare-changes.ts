import type { AdvantageChange, AdvantageSummary, RecomputedTrajectory } from '../../compare/index.js';
import { cleanText } from './clean-text.js';
import { compareTable, type NumberColumn, type TableStyle } from './compare-table.js';
import { numberText, percentText } from './number-text.js';

/** Old against new advantages: a row per step and role, then the trajectories that change most. */
export function changeLines(
  steps: readonly AdvantageChange[],
  largest: readonly RecomputedTrajectory[],
  style: TableStyle,
): string[] {
  const roles = new Set(steps.map(({ role }) => role));
  const column = (heading: string, text: (change: AdvantageChange) => string): NumberColumn => ({
    heading,
    cells: steps.map(text),
  });
  const summary = (name: string, pick: (change: AdvantageChange) => AdvantageSummary): NumberColumn[] => [
    column(`${name} MEAN`, (change) => textOf(pick(change).mean)),
    column('STD', (change) => textOf(pick(change).std)),
    column('ZERO', (change) => shareText(pick(change).fractionZero)),
  ];
  const lines = compareTable(
    [
      column('STEP', ({ step }) => String(step)),
      ...(roles.size > 1 ? [column('ROLE', ({ role }) => cleanText(role))] : []),
      column('COUNT', countText),
    ],
    [
      ...summary('OLD', (change) => change.old),
      ...summary('NEW', (change) => change.new),
      column('CORR', ({ correlation }) => textOf(correlation)),
      column('FLIPS', ({ signFlips }) => String(signFlips)),
    ],
    style,
  );
  return [...lines, ...largestLines(largest, style)];
}

function largestLines(largest: readonly RecomputedTrajectory[], style: TableStyle): readonly string[] {
  if (largest.length === 0) return ['', 'No advantage of a trajectory that trains changes.'];
  const column = (heading: string, text: (one: RecomputedTrajectory) => string): NumberColumn => ({
    heading,
    cells: largest.map(text),
  });
  const table = compareTable(
    [column('TASK', ({ taskId }) => cleanText(taskId))],
    [
      column('STEP', ({ step }) => String(step)),
      column('ROLLOUT', ({ rolloutIndex }) => String(rolloutIndex)),
      column('ROLE', ({ role }) => cleanText(role)),
      column('REWARD', ({ reward }) => textOf(reward)),
      column('OLD', ({ old }) => textOf(old)),
      column('NEW', (one) => textOf(one.new)),
    ],
    style,
  );
  return ['', 'largest changes', '', ...table];
}

/** How many trajectories train; `8→6` when the other estimator's policies leave some out. */
function countText({ old, new: now }: AdvantageChange): string {
  return old.count === now.count ? String(old.count) : `${old.count}→${now.count}`;
}

/** Advantages are of the order of 1: less than this is what float64 leaves of a sum to 0. */
const ROUNDING = 1e-12;

function textOf(value: number | null): string {
  return value === null ? '-' : numberText(Math.abs(value) < ROUNDING ? 0 : value);
}

function shareText(share: number | null): string {
  return share === null ? '-' : percentText(share);
}
