import type { Clock } from '../workflow/index.js';

/** A clock whose time passes when it is told to. */
export interface FakeClock extends Clock {
  /** Milliseconds that have passed since it was made. */
  readonly now: number;
  /** Timers that have neither fired nor been cancelled. */
  readonly pending: number;
  /** Every delay that was asked for, in order. */
  readonly delays: readonly number[];
  /** Lets time pass: what falls due fires in the order of its time, also what is set meanwhile. */
  advance(ms: number): void;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/**
 * Time for tests of deadlines, pauses and hooks that wait: `createApp(config, { override: (c) => c.registerInstance(CLOCK, clock) })`.
 *
 * Timers of one time fire in the order in which they were set. A timer that throws ends `advance` with its error, and is spent.
 */
export function fakeClock(): FakeClock {
  const timers = new Set<Timer>();
  const delays: number[] = [];
  let now = 0;
  return {
    get now() {
      return now;
    },
    get pending() {
      return timers.size;
    },
    delays,
    after(ms, run) {
      delays.push(ms);
      const timer = { at: now + Math.max(0, ms), run };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (let due = nextDue(timers, end); due !== undefined; due = nextDue(timers, end)) {
        timers.delete(due);
        now = due.at;
        due.run();
      }
      now = end;
    },
  };
}

function nextDue(timers: ReadonlySet<Timer>, end: number): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer;
  }
  return first;
}
