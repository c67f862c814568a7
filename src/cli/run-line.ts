import { type Command, CommanderError } from 'commander';
import { RllmError } from '../errors.js';
import { askedWords } from './asked-words.js';
import { lineOptions } from './line-options.js';
import { createProgram } from './program.js';

/** Exit code of a wrong command line; commander's own would be 1. */
const USAGE = 2;

/**
 * Runs a command line, as `process.argv` has it, and returns its exit code. The plugins of the configuration load only for the
 * commands that need them, and for a first word that the program does not know.
 */
export async function runLine(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const setExitCode = (code: number): void => {
    exitCode = code;
  };
  const program = createProgram(setExitCode);
  const asked = askedWords(argv.slice(2));
  const word = asked === undefined ? undefined : unknownWord(program, asked.words);
  try {
    if (asked === undefined || word === undefined) await program.parseAsync([...argv]);
    else {
      const { parseWithPlugins } = await import('./parse-with-plugins.js');
      await parseWithPlugins(program, { argv, word, options: asked.options }, setExitCode);
    }
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    exitCode = thrown.exitCode === 0 ? 0 : USAGE;
    // A person has read it on stderr.
    if (exitCode === USAGE && lineOptions(argv).json === true) await tellProgram(thrown);
  }
  return exitCode;
}

async function tellProgram({ code, message }: CommanderError): Promise<void> {
  const [{ failureEvent }, { writeEvent }] = await Promise.all([
    import('./report-failure.js'),
    import('./write-event.js'),
  ]);
  // Its message is no sentence where it has shown the help instead.
  const what = code === 'commander.help' ? 'The command line names no command that there is.' : message;
  writeEvent(failureEvent(new RllmError('USAGE', what.replace(/^error: /, '').replaceAll('\n', ' '))));
}

/** The command asked for, or for whose help is asked, where it is none of the program's own. */
function unknownWord(program: Command, [first, second]: readonly string[]): string | undefined {
  const word = first === 'help' ? second : first;
  return program.commands.some((command) => command.name() === word) || word === 'help' ? undefined : word;
}
