import { type Command, CommanderError } from 'commander';
import { addPluginCommand } from './add-plugin-command.js';
import { cliLogger } from './cli-logger.js';
import { withConfigFlags } from './command-flags.js';
import type { ConfigOptions } from './options.js';
import { createProgram } from './program.js';
import { readConfig } from './read-config.js';
import { reportFailure } from './report-failure.js';
import { openScreen } from './screen.js';
import { withApp } from './with-app.js';

/** A command line whose first word the program itself does not know. */
export interface UnknownLine {
  readonly argv: readonly string[];
  readonly word: string;
  readonly options: ConfigOptions;
}

/**
 * Parses it again with the commands that the plugins of the configuration bring. The app lives as long as the command runs; it
 * need not be able to train. What keeps the plugins from loading is reported here.
 *
 * @throws CommanderError when no plugin has such a command.
 */
export async function parseWithPlugins(
  program: Command,
  { argv, word, options }: UnknownLine,
  setExitCode: (code: number) => void,
): Promise<void> {
  const { paint, write } = openScreen(process.stderr, process.env, options);
  const logger = cliLogger((line) => write(`${line}\n`), options, paint);
  let isFound = false;
  try {
    const loaded = await readConfig(options, false);
    await withApp(loaded, { logger, run: null, validateOnly: true }, async (app) => {
      // On the program itself they may stand before and behind the command's words.
      withConfigFlags(program).showHelpAfterError(
        'Run with --help to see what is allowed. The command of a plugin needs the plugin named in the configuration.',
      );
      for (const { value, owner } of app.commands.list()) {
        addPluginCommand(program, { definition: value, plugin: owner, app, logger }, setExitCode);
      }
      isFound = program.commands.some((command) => command.name() === word);
      await program.parseAsync([...argv]);
    });
  } catch (thrown) {
    if (thrown instanceof CommanderError) throw thrown;
    if (!isFound) {
      // Anew, since some commands may have been added before one could not be.
      const own = createProgram(setExitCode);
      own.showHelpAfterError('A plugin may have it, and the plugins could not be looked at:');
      await own.parseAsync([...argv]).catch(() => undefined);
    }
    setExitCode(reportFailure(thrown, options));
  }
}
