import { PLAIN_PAINT } from '../../../src/cli/paint.js';
import type { Screen } from '../../../src/cli/screen.js';

/** A screen that shows what a terminal would: `\r` goes to the start of the line, `ESC [K` clears the rest of it. */
export class TestScreen implements Screen {
  readonly paint = PLAIN_PAINT;
  readonly interactive = true;
  readonly unicode = false;
  readonly rows: string[] = [''];
  #column = 0;

  columns(): number {
    return 80;
  }

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ESC is what a terminal reads.
    for (const part of text.split(/(\r|\n|\u001b\[K)/)) {
      const row = this.rows.at(-1) ?? '';
      if (part === '\r') this.#column = 0;
      else if (part === '\n') {
        this.rows.push('');
        this.#column = 0;
      } else if (part === '\u001b[K') this.rows[this.rows.length - 1] = row.slice(0, this.#column);
      else {
        this.rows[this.rows.length - 1] =
          row.slice(0, this.#column) + part + row.slice(this.#column + part.length);
        this.#column += part.length;
      }
    }
  }
}
