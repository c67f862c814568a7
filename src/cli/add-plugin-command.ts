import { type Command, Option } from 'commander';
import { messageOf, RllmError } from '../errors.js';
import type { CommandOption } from '../plugin-host/index.js';
import { commandAction } from './command-action.js';
import type { CommonOptions } from './options.js';
import { type PluginCommand, runPluginCommand } from './run-plugin-command.js';

/**
 * Adds a command of a plugin to the program: its words become a command in a command, its arguments and options commander's.
 *
 * @throws RllmError PLUGIN_INVALID when commander cannot read them, or an option is one that every command has.
 */
export function addPluginCommand(
  program: Command,
  brought: PluginCommand,
  setExitCode: (code: number) => void,
): void {
  const { definition, plugin } = brought;
  const command = commandAt(program, definition.name.split(' '), plugin)
    .description(`${definition.summary} (${plugin})`)
    .configureHelp({ showGlobalOptions: true });
  const own: Option[] = [];
  try {
    for (const { name, summary } of definition.arguments ?? []) command.argument(name, summary);
    for (const option of definition.options ?? []) own.push(optionOf(option, program));
    for (const option of own) command.addOption(option);
  } catch (cause) {
    const what = `Plugin "${plugin}" brings the command "${definition.name}", which cannot be read`;
    throw new RllmError('PLUGIN_INVALID', `${what}: ${messageOf(cause)}.`, { cause });
  }
  command.action(
    commandAction<CommonOptions>(setExitCode, async () => (options, args) => {
      const all = command.opts<Readonly<Record<string, string | boolean | undefined>>>();
      const names = own.map((option) => option.attributeName());
      const given = Object.fromEntries(names.map((name) => [name, all[name]] as const));
      return runPluginCommand(brought, { options, arguments: args, given });
    }),
  );
}

/** The command of these words, made where it is missing. */
function commandAt(parent: Command, words: readonly string[], plugin: string): Command {
  return words.reduce((above, word) => {
    const existing = above.commands.find((command) => command.name() === word);
    return existing ?? above.command(word).description(`commands of ${plugin}`);
  }, parent);
}

/** @throws Error that says why not, as the end of a sentence. */
function optionOf({ flags, summary }: CommandOption, program: Command): Option {
  const option = new Option(flags, summary);
  if (option.long === undefined) throw new Error(`its option "${flags}" has no long form, such as --url`);
  if (option.variadic) throw new Error(`its option "${flags}" takes several values, and may take one`);
  const taken = [...program.options, new Option('-h, --help')].find(
    ({ long, short }) => long === option.long || (short !== undefined && short === option.short),
  );
  if (taken !== undefined) throw new Error(`its option "${flags}" is one of every command, ${taken.flags}`);
  return option;
}
