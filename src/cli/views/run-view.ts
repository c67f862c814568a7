import type { TrainerEvent } from '../../trainer/events.js';

/** How a run is shown to a person while it goes on. */
export interface RunView {
  show(event: TrainerEvent): void;
  /** Adds a line that stays. */
  note(line: string): void;
  /** Takes away what was only for the moment. Safe to call twice. */
  close(): void;
}

/** Shows nothing but what must be told. */
export function quietView(write: (text: string) => void): RunView {
  return {
    show(event) {
      if (event.event === 'warning') write(`warning ${event.code}  ${event.message}\n`);
    },
    note: (line) => write(`${line}\n`),
    close() {},
  };
}
