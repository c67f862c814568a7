import type { TrainerEvent } from '../../trainer/events.js';
import { headlineOf, joined, passText, rewardText, winText } from '../render/headline.js';
import { durationText } from '../render/number-text.js';
import { Pace } from '../render/pace.js';
import { stopText } from '../render/stop-text.js';
import { trajectoryLines } from '../render/trajectory-lines.js';
import type { Screen } from '../screen.js';
import type { RunView } from './run-view.js';

/** Steps at the start that are always shown, so that a reader sees that it goes on. */
const FIRST_STEPS = 3;
const SHORTEST_PAUSE_S = 2;
const LONGEST_PAUSE_S = 30;

/**
 * Lines for a pipe, a file or CI: the first steps, then one every two seconds at first and every thirty in a long run
 * (a thirtieth of the time gone), and always the last. A validation that takes longer than that says how far it is.
 */
export class PlainView implements RunView {
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #pace = new Pace();
  #startedAt: number;
  #shownAt = Number.NEGATIVE_INFINITY;
  #stepsShown = 0;
  /** When the validation at hand began, or last said how far it was. */
  #validatingAt: number | undefined;

  /** @param now  milliseconds of any clock that never goes back. */
  constructor(screen: Screen, now: () => number) {
    this.#screen = screen;
    this.#now = now;
    this.#startedAt = now();
  }

  show(event: TrainerEvent): void {
    switch (event.event) {
      case 'start':
        this.#startedAt = this.#now();
        this.#pace.mark(event.resumedFrom, this.#startedAt);
        break;
      case 'rollouts':
        if (event.mode === 'val') this.#showValidating(event);
        break;
      case 'step':
        this.#showStep(event);
        break;
      case 'validation':
        this.#validatingAt = undefined;
        if (this.#isDue(this.#shownAt))
          this.#line(joined([`validation at step ${event.step}`, passText(event.metrics)]));
        break;
      case 'trajectory':
        for (const line of trajectoryLines(event.view, this.#screen.paint)) this.note(line);
        break;
      case 'stop':
        this.note(`stopping after step ${event.step}, ${stopText(event)}`);
        break;
      case 'warning':
        this.note(this.#screen.paint('yellow', `warning ${event.code}  ${event.message}`));
        break;
      default:
        break;
    }
  }

  note(line: string): void {
    this.#screen.write(`${line}\n`);
  }

  close(): void {}

  #showStep(event: Extract<TrainerEvent, { event: 'step' }>): void {
    this.#pace.mark(event.step, this.#now());
    const isLast = event.step >= event.totalSteps;
    if (this.#stepsShown >= FIRST_STEPS && !isLast && !this.#isDue(this.#shownAt)) return;
    this.#stepsShown++;
    const headline = headlineOf(event.metrics);
    const left = this.#pace.secondsFor(event.totalSteps - event.step);
    const total = String(event.totalSteps);
    this.#line(
      joined([
        `step ${String(event.step).padStart(total.length)}/${total}`,
        rewardText(headline),
        winText(headline),
        left === undefined || isLast ? '' : `eta ${durationText(left)}`,
      ]),
    );
  }

  #line(text: string): void {
    this.#shownAt = this.#now();
    this.note(text);
  }

  #showValidating({ done, total }: Extract<TrainerEvent, { event: 'rollouts' }>): void {
    this.#validatingAt ??= this.#now();
    if (!this.#isDue(this.#validatingAt)) return;
    this.#validatingAt = this.#now();
    this.note(`validating ${done}/${total}`);
  }

  #isDue(since: number): boolean {
    const gone = (this.#now() - this.#startedAt) / 1000;
    const pause = Math.min(LONGEST_PAUSE_S, Math.max(SHORTEST_PAUSE_S, gone / 30));
    return this.#now() - since >= pause * 1000;
  }
}
