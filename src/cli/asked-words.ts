import { Command, CommanderError } from 'commander';
import { withCommonFlags, withConfigFlags } from './command-flags.js';
import type { ConfigOptions } from './options.js';

/** What a command line asks for, as far as it can be told without knowing its command. */
export interface AskedWords {
  /** The words before the first option that only a command can know. */
  readonly words: readonly string[];
  /** The options of every command, which may stand anywhere. */
  readonly options: ConfigOptions;
}

/** Reads a command line, without the program's own name; undefined where an option lacks its value. */
export function askedWords(line: readonly string[]): AskedWords | undefined {
  const reader = withConfigFlags(withCommonFlags(new Command()))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  try {
    const { operands } = reader.parseOptions([...line]);
    return { words: operands, options: reader.opts() };
  } catch (thrown) {
    if (thrown instanceof CommanderError) return undefined;
    throw thrown;
  }
}
