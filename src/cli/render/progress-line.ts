import type { Paint } from '../paint.js';
import { durationText, percentText } from './number-text.js';

export interface Progress {
  /** What is going on, for example `step 12/500` or `validating 3/64`. */
  readonly label: string;
  /** Share of the run that is done, in [0, 1]. */
  readonly share: number;
  readonly reward: string;
  readonly win: string;
  readonly validation: string;
  readonly secondsLeft: number | undefined;
  /** The run may stop before its last step, so that the time left is a bound. */
  readonly mayStopEarly: boolean;
}

export interface LineStyle {
  readonly columns: number;
  readonly unicode: boolean;
  readonly paint: Paint;
}

const WIDEST_BAR = 30;
const NARROWEST_BAR = 6;

/**
 * One line that fits into the columns, the last of which stays empty lest the terminal wraps. What does not fit goes,
 * least needed first: bar, validation, time left, win rate, reward.
 */
export function progressLine(progress: Progress, { columns, unicode, paint }: LineStyle): string {
  const room = Math.max(1, columns - 1);
  const { secondsLeft } = progress;
  const eta =
    secondsLeft === undefined
      ? ''
      : `eta ${progress.mayStopEarly ? '<' : ''}${durationText(secondsLeft).padStart(5)}`;
  const byNeed = [progress.label, progress.reward, progress.win, eta, progress.validation];
  const kept = new Set<string>();
  let width = 0;
  for (const part of byNeed) {
    if (part === '') continue;
    const wider = width + (width > 0 ? 2 : 0) + part.length;
    if (wider > room) break;
    kept.add(part);
    width = wider;
  }
  if (kept.size === 0) return progress.label.slice(0, room);

  const percent = percentText(progress.share).padStart(4);
  const barWidth = Math.min(WIDEST_BAR, room - width - 2 - percent.length - 1);
  const bar =
    barWidth < NARROWEST_BAR ? '' : `${drawBar(progress.share, barWidth, unicode, paint)} ${percent}`;
  const show = (part: string, painted: string): string => (kept.has(part) ? painted : '');
  return [
    show(progress.label, paint('bold', progress.label)),
    bar,
    show(progress.reward, progress.reward),
    show(progress.win, paint('green', progress.win)),
    show(progress.validation, progress.validation),
    show(eta, paint('dim', eta)),
  ]
    .filter((part) => part !== '')
    .join('  ');
}

function drawBar(share: number, width: number, unicode: boolean, paint: Paint): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  const [done, rest] = unicode ? ['━', '─'] : ['#', '-'];
  return paint('green', done.repeat(full)) + paint('dim', rest.repeat(width - full));
}
