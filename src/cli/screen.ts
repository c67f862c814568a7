import type { Writable } from 'node:stream';
import { type Environment, type Paint, painter, wantsColour } from './paint.js';

/** A stream that may be a terminal. */
export type Output = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** Where text for a person goes, and what may be done there. */
export interface Screen {
  readonly paint: Paint;
  /** Lines may be rewritten in place: a terminal, and not CI. */
  readonly interactive: boolean;
  /** Block and braille characters can be shown. */
  readonly unicode: boolean;
  /** Width in characters, read anew each time, since windows are resized. */
  columns(): number;
  write(text: string): void;
}

/** Text for a person goes to stdout, unless stdout is for a program. */
export function humanOutput(options: { readonly json?: boolean }): Output {
  return options.json === true ? process.stderr : process.stdout;
}

const DEFAULT_COLUMNS = 80;

export function openScreen(stream: Output, env: Environment, options: { readonly color: boolean }): Screen {
  return {
    paint: painter(wantsColour(stream, env, options.color)),
    interactive: stream.isTTY === true && env.TERM !== 'dumb' && !isCi(env),
    unicode: showsUnicode(env),
    // A terminal of unknown size reports 0.
    columns: () => stream.columns || DEFAULT_COLUMNS,
    write: (text) => void stream.write(text),
  };
}

function isCi(env: Environment): boolean {
  const ci = env.CI;
  return ci !== undefined && ci !== '' && ci !== 'false' && ci !== '0';
}

/** No locale at all counts as UTF-8: containers set none, and their terminals are modern. */
function showsUnicode(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  return /utf-?8/i.test(locale) && env.TERM !== 'dumb' && env.TERM !== 'linux';
}
