import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A configuration of Chart.js as plain data; a text that begins with `--` is the colour of that name in the page's style. */
export type ChartConfig = Readonly<Record<string, unknown>>;

/** Chart.js as one script for a browser, its licence at the top; it defines `Chart`. */
export async function chartLibrary(): Promise<string> {
  // The package names no way to its browser build; it lies beside what `require` gets.
  const entry = createRequire(import.meta.url).resolve('chart.js');
  const script = await readFile(join(dirname(entry), 'chart.umd.min.js'), 'utf8');
  // A page of its own has no source map to point to.
  return script.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '');
}
