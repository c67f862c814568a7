import type { RllmConfig } from '../config/types.js';
import type { Logger } from '../logger.js';

/** An option of a plugin's command. */
export interface CommandOption {
  /** As commander writes them: `--url <url>`, `-n, --times <n>`, `--fast`. */
  readonly flags: string;
  readonly summary: string;
}

/** What a plugin's command is called with. */
export interface CommandContext {
  readonly arguments: readonly string[];
  /** By camelCase name: a text, or true for a flag without value; absent when it was not given. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** The configuration as the command line and the config file give it. */
  readonly config: RllmConfig;
  /** Folder of the config file. */
  readonly baseDirectory: string;
  readonly logger: Logger;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Whether `--json` was given: then print one line of JSON, and nothing else. */
  readonly json: boolean;
  /** Writes a line to stdout. */
  print(line: string): void;
  /** Paints a text for the terminal; as it is where there are no colours. */
  paint(style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string;
}

/** A command of `rllm` that a plugin brings. */
export interface CommandDefinition {
  /** One or two words, `tinker check`; a first word that the program itself uses is refused. */
  readonly name: string;
  readonly summary: string;
  /** As commander writes them: `<file>`, `[names...]`. */
  readonly arguments?: readonly { readonly name: string; readonly summary: string }[];
  readonly options?: readonly CommandOption[];
  /** @returns the exit code; nothing means 0. What it throws is reported with the plugin's name. */
  run(context: CommandContext): Promise<number | undefined> | Promise<void>;
}
