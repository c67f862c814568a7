import type { Command } from 'commander';

/** The options of every command: `CommonOptions`, but for `--json`. */
export function withCommonFlags(command: Command): Command {
  return command
    .option('--verbose', 'say more, and show where errors come from')
    .option('--quiet', 'say only what must be told')
    .option('--no-color', 'write no colours');
}

/** The options of every command that reads a configuration: `ConfigOptions`. */
export function withConfigFlags(command: Command): Command {
  const flagged = command
    .option('-c, --config <file>', 'config file (else searched from this folder upwards)')
    .option('-s, --set <path=value>', 'set one value, for example trainer.seed=7 (repeatable)', collect)
    .option('--no-plugins', 'load no plugins');
  return withJsonFlag(withDataOnlyFlag(flagged));
}

export function withDataOnlyFlag(command: Command): Command {
  return command.option('--config-data-only', 'run no code to find or read the config: JSON and YAML alone');
}

export function withJsonFlag(command: Command): Command {
  return command.option('--json', 'write JSON to stdout, text for a person to stderr');
}

/** Gathers the values of an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
