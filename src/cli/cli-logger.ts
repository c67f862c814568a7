import type { Logger } from '../logger.js';
import type { CommonOptions } from './options.js';
import type { Paint } from './paint.js';

/** Tells a person what parts of the SDK and plugins have to say, by `note`; `debug` only with `--verbose`. */
export function cliLogger(note: (line: string) => void, options: CommonOptions, paint: Paint): Logger {
  return {
    debug(message) {
      if (options.verbose === true) note(paint('dim', message));
    },
    info(message) {
      if (options.quiet !== true) note(message);
    },
    warn: (message) => note(paint('yellow', `warning  ${message}`)),
    error: (message) => note(paint('red', `error  ${message}`)),
  };
}
