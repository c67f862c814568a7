import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan';

/** The environment variables that the command line reads; `process.env` is one. */
export interface Environment {
  /** `rllm` shows stacks. */
  readonly DEBUG?: string | undefined;
  readonly CI?: string | undefined;
  readonly NO_COLOR?: string | undefined;
  readonly FORCE_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
  readonly LC_ALL?: string | undefined;
  readonly LC_CTYPE?: string | undefined;
  readonly LANG?: string | undefined;
}

/** Puts text in a style, or leaves it as it is where colours are off. */
export type Paint = (style: Style, text: string) => string;

/** Leaves all text as it is. */
export const PLAIN_PAINT: Paint = (_style, text) => text;

export function painter(enabled: boolean): Paint {
  return enabled
    ? (style, text) => (text === '' ? '' : styleText(style, text, { validateStream: false }))
    : PLAIN_PAINT;
}

/**
 * Whether to write colours to a stream. In order: `--no-color`, `NO_COLOR` (any value), `FORCE_COLOR` (`0` and `false` say
 * no), `TERM=dumb`, and whether the stream is a terminal.
 */
export function wantsColour(
  stream: { readonly isTTY?: boolean | undefined },
  env: Environment,
  flag: boolean,
): boolean {
  if (!flag || isSet(env.NO_COLOR)) return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
