/** Exit codes as shells count them: 128 + the number of the signal. */
const EXIT_CODE = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

type StopName = keyof typeof EXIT_CODE;

const NAMES = Object.keys(EXIT_CODE) as StopName[];

export interface StopSignals {
  /** Aborted by the first signal: stop after the step at hand. */
  readonly signal: AbortSignal;
  /** Asks to stop as the first signal does, without one. */
  readonly stop: () => void;
  /** Exit code of a process that was asked to stop. */
  readonly exitCode: () => number;
  readonly dispose: () => void;
}

/**
 * A signal this soon after the first is the same keystroke: the terminal sends Ctrl-C to the whole process group, and
 * npm passes its own copy on.
 */
const SAME_KEYSTROKE_MS = 300;

/**
 * Listens for Ctrl-C, `kill` and the end of the terminal. The first asks to stop and save; the second ends the process at once.
 *
 * `nohup` is not undone by that: Node undoes it at its start.
 */
export function listenForStop(onFirst: () => void): StopSignals {
  const controller = new AbortController();
  let first: { readonly name: StopName; readonly at: number } | undefined;
  const onSignal = (name: StopName): void => {
    const at = performance.now();
    if (first === undefined) {
      first = { name, at };
      onFirst();
      controller.abort();
    } else if (at - first.at > SAME_KEYSTROKE_MS) {
      process.exit(EXIT_CODE[name]);
    }
  };
  for (const name of NAMES) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop: () => controller.abort(),
    exitCode: () => EXIT_CODE[first?.name ?? 'SIGINT'],
    dispose: () => {
      for (const name of NAMES) process.off(name, onSignal);
    },
  };
}
