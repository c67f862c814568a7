import { jsonText } from '../json-text.js';

/** One line of NDJSON on stdout. */
export function writeEvent(event: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${jsonText(event)}\n`);
}
