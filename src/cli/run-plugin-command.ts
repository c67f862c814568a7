import { awaiting } from '../awaited-parts.js';
import type { App } from '../container/index.js';
import { messageOf, RllmError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { CommandContext, CommandDefinition } from '../plugin-host/index.js';
import type { CommonOptions } from './options.js';
import { PLAIN_PAINT } from './paint.js';
import { openScreen } from './screen.js';
import { listenForStop } from './stop-signals.js';

/** A command that a plugin brings, with the app it runs in. */
export interface PluginCommand {
  readonly definition: CommandDefinition;
  /** Who brings it. */
  readonly plugin: string;
  readonly app: App;
  readonly logger: Logger;
}

export interface PluginCommandLine {
  readonly options: CommonOptions;
  readonly arguments: CommandContext['arguments'];
  /** The command's own options. */
  readonly given: CommandContext['options'];
}

/**
 * Runs a command of a plugin. The first Ctrl-C fires its signal, the second ends the process.
 *
 * @returns the exit code: what it returned, else 0; 130 for one that was stopped and returned nothing.
 * @throws RllmError with the plugin's name: the code of an RllmError that it threw, else COMMAND_FAILED.
 */
export async function runPluginCommand(
  { definition, plugin, app, logger }: PluginCommand,
  line: PluginCommandLine,
): Promise<number> {
  const screen = openScreen(process.stdout, process.env, line.options);
  const json = line.options.json === true;
  const stop = listenForStop(() => logger.info('Stopping. A second signal stops at once.'));
  let code: unknown;
  try {
    const context: CommandContext = {
      arguments: line.arguments,
      options: line.given,
      config: app.config,
      baseDirectory: app.loaded.directory,
      logger,
      signal: stop.signal,
      json,
      print: (text) => screen.write(`${text}\n`),
      paint: json ? PLAIN_PAINT : screen.paint,
    };
    code = await awaiting<unknown>(`the command "${definition.name}" of plugin "${plugin}"`, () =>
      definition.run(context),
    );
  } catch (cause) {
    if (stop.signal.aborted) return stop.exitCode();
    const kind = RllmError.isInstance(cause) ? cause.code : 'COMMAND_FAILED';
    throw new RllmError(kind, `${titleOf(definition, plugin)} failed: ${messageOf(cause)}`, { cause });
  } finally {
    stop.dispose();
  }
  if (code === undefined) return stop.signal.aborted ? stop.exitCode() : 0;
  if (typeof code === 'number' && Number.isInteger(code) && code >= 0 && code <= 255) return code;
  const message = `${titleOf(definition, plugin)} returned ${String(code)}, and an exit code is a whole number from 0 to 255.`;
  throw new RllmError('COMMAND_FAILED', message);
}

function titleOf({ name }: CommandDefinition, plugin: string): string {
  return `The command "${name}" of plugin "${plugin}"`;
}
