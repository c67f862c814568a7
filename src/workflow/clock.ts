/** What waits, so that tests can run time themselves. */
export interface Clock {
  /** Calls `run` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

/** Longest delay of Node's timers; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Real time. Node keeps timers of one length in one list, so a deadline per rollout costs well under a microsecond. */
export const SYSTEM_CLOCK: Clock = {
  after(ms, run) {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      timer = left > LONGEST_MS ? setTimeout(wait, LONGEST_MS, left - LONGEST_MS) : setTimeout(run, left);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};
