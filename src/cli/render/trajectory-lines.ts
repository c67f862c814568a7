import type { TrajectoryView } from '../../trainer/events.js';
import type { Paint, Style } from '../paint.js';
import { cleanText, cutMiddle } from './clean-text.js';
import { numberText } from './number-text.js';

/** Longest text shown of one piece, in characters, as in rLLM. */
const LIMIT = 512;

/**
 * A trajectory as the trainer sees it, a line per piece: what the model was given is `masked`, what it wrote is `trained`,
 * green where the advantage raises its probability and red where it lowers it. The words tell them apart without colours.
 */
export function trajectoryLines(view: TrajectoryView, paint: Paint): readonly string[] {
  const outcome = view.isCorrect ? paint('green', 'correct') : paint('red', 'incorrect');
  const reward = view.reward === null ? 'no reward' : `reward ${numberText(view.reward)}`;
  const title = `task ${cleanText(view.taskId)} · rollout ${view.rolloutIndex} · ${cleanText(view.role)}`;
  const ending = paint('yellow', view.terminationReason);
  return [
    [paint('cyan', title), reward, outcome, ending].join(' · '),
    ...view.pieces.map(({ kind, text, advantage }) => {
      const shown = text === '' ? '(empty)' : cleanText(cutMiddle(text, LIMIT));
      if (kind !== 'response') return paint('dim', `  masked   ${shown}`);
      const sign = advantage === null ? '' : paint('dim', `  (advantage ${signed(advantage)})`);
      return `  trained  ${paint(styleOf(advantage), shown)}${sign}`;
    }),
  ];
}

function styleOf(advantage: number | null): Style {
  if (advantage === null || advantage === 0) return 'blue';
  return advantage > 0 ? 'green' : 'red';
}

function signed(value: number): string {
  return value > 0 ? `+${numberText(value)}` : numberText(value);
}
