import type { RunStatus } from '../../tracking/index.js';
import type { RunSummary } from '../../trainer/events.js';
import type { Paint, Style } from '../paint.js';
import { headlineOf, joined, passText, rewardText, winText } from './headline.js';
import { durationText } from './number-text.js';
import { stopText } from './stop-text.js';
import { fieldLines } from './table-lines.js';

export interface SummaryText {
  readonly summary: RunSummary;
  /** The run's folder as a person would write it. */
  readonly folder: string;
  /** Commands ready to paste: to look at a run that is complete, or to go on with one that is not; empty for none. */
  readonly next: string;
}

const STYLE: Readonly<Record<RunStatus, Style>> = {
  completed: 'green',
  interrupted: 'yellow',
  failed: 'red',
};

/** How a run ended: what it reached, how long it took, where it lies, and what to do next. */
export function summaryLines({ summary, folder, next }: SummaryText, paint: Paint): readonly string[] {
  const { status } = summary;
  const headline = headlineOf(summary.lastStep);
  const fields: (readonly [string, string])[] = [
    ['stopped', summary.stopped === null ? '' : stopText(summary.stopped)],
    ['last step', joined([rewardText(headline), winText(headline)])],
    ['validation', passText(summary.lastValidation)],
    ['run', folder],
    [status === 'completed' ? 'next' : 'resume', next],
  ];
  const steps = `${summary.steps} ${summary.steps === 1 ? 'step' : 'steps'}`;
  return [
    `${paint(STYLE[status], status)} · ${steps} · ${durationText(summary.seconds)}`,
    ...fieldLines(
      fields.filter(([, value]) => value !== ''),
      paint,
    ),
  ];
}
