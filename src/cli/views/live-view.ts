import type { TrainerEvent } from '../../trainer/events.js';
import { headlineOf, passText, rewardText, winText } from '../render/headline.js';
import { Pace } from '../render/pace.js';
import { progressLine } from '../render/progress-line.js';
import { stopText } from '../render/stop-text.js';
import { trajectoryLines } from '../render/trajectory-lines.js';
import type { Screen } from '../screen.js';
import type { RunView } from './run-view.js';

/** At most ten frames a second: more costs time and cannot be read. */
const FRAME_MS = 100;
const CLEAR_LINE = '\r\u001b[K';
const CLEAR_REST = '\u001b[K';

/** One progress line at the bottom of a terminal, rewritten in place; what is noted scrolls above it. */
export class LiveView implements RunView {
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #mayStopEarly: boolean;
  readonly #pace = new Pace();
  #totalSteps = 0;
  #step = 0;
  #rollouts: Extract<TrainerEvent, { event: 'rollouts' }> | undefined;
  #reward = '';
  #win = '';
  #validation = '';
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  /** @param now  milliseconds of any clock that never goes back. */
  constructor(screen: Screen, now: () => number, options: { readonly mayStopEarly: boolean }) {
    this.#screen = screen;
    this.#now = now;
    this.#mayStopEarly = options.mayStopEarly;
  }

  show(event: TrainerEvent): void {
    switch (event.event) {
      case 'start':
        this.#totalSteps = event.totalSteps;
        this.#step = event.resumedFrom;
        this.#pace.mark(event.resumedFrom, this.#now());
        break;
      case 'rollouts':
        this.#rollouts = event;
        break;
      case 'step': {
        const headline = headlineOf(event.metrics);
        this.#step = event.step;
        this.#totalSteps = event.totalSteps;
        this.#rollouts = undefined;
        this.#reward = rewardText(headline) || this.#reward;
        this.#win = winText(headline) || this.#win;
        this.#pace.mark(event.step, this.#now());
        break;
      }
      case 'validation':
        this.#rollouts = undefined;
        this.#validation = passText(event.metrics);
        break;
      case 'trajectory':
        for (const line of trajectoryLines(event.view, this.#screen.paint)) this.note(line);
        return;
      case 'stop':
        this.note(`stopping after step ${event.step}, ${stopText(event)}`);
        return;
      case 'warning':
        this.note(this.#screen.paint('yellow', `warning ${event.code}  ${event.message}`));
        return;
      case 'end':
        this.close();
        return;
      case 'checkpoint':
        return;
    }
    this.#draw();
  }

  note(line: string): void {
    this.close();
    this.#screen.write(`${line}\n`);
  }

  close(): void {
    if (!this.#isDrawn) return;
    this.#screen.write(CLEAR_LINE);
    this.#isDrawn = false;
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }

  #draw(): void {
    const now = this.#now();
    if (now - this.#drawnAt < FRAME_MS) return;
    this.#drawnAt = now;
    this.#isDrawn = true;
    const line = progressLine(
      {
        label: this.#label(),
        share: this.#share(),
        reward: this.#reward,
        win: this.#win,
        validation: this.#validation,
        secondsLeft: this.#pace.secondsFor(this.#totalSteps - this.#step),
        mayStopEarly: this.#mayStopEarly,
      },
      { columns: this.#screen.columns(), unicode: this.#screen.unicode, paint: this.#screen.paint },
    );
    // Overwritten rather than cleared first, which would flicker.
    this.#screen.write(`\r${line}${CLEAR_REST}`);
  }

  #label(): string {
    const rollouts = this.#rollouts;
    if (rollouts?.mode === 'val') return `validating ${rollouts.done}/${rollouts.total}`;
    const total = String(this.#totalSteps);
    return `step ${String(this.#step).padStart(total.length)}/${total}`;
  }

  /** Of the run; of the validation where there is nothing else. */
  #share(): number {
    const { mode, done = 0, total = 0 } = this.#rollouts ?? {};
    const ofRollouts = total === 0 ? 0 : done / total;
    if (this.#totalSteps === 0) return ofRollouts;
    return (this.#step + (mode === 'val' ? 0 : ofRollouts)) / this.#totalSteps;
  }
}
