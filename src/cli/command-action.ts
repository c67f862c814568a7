import { Console } from 'node:console';
import type { Command } from 'commander';
import type { CommonOptions } from './options.js';

/** A command: its parsed options and its arguments in, its exit code out. */
export type Run<Options> = (options: Options, args: readonly string[]) => Promise<number>;

/** What commander calls: the arguments one by one, then the options, then the command. */
export type Action = (...given: readonly unknown[]) => Promise<void>;

/** Loads a command when it is called, and reports its failure. */
export function commandAction<Options extends CommonOptions>(
  setExitCode: (code: number) => void,
  load: () => Promise<Run<Options>>,
): Action {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const options = command.optsWithGlobals<Options>();
    // Stdout is for JSON alone; what an agent prints goes where text for a person goes.
    if (options.json === true) globalThis.console = new Console(process.stderr);
    try {
      const run = await load();
      setExitCode(await run(options, command.args));
    } catch (thrown) {
      const { reportFailure } = await import('./report-failure.js');
      setExitCode(reportFailure(thrown, options));
    }
  };
}
