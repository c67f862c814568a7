import type { Assignment } from './assignment.js';
import type { ConfigFault } from './config-fault.js';
import { formatPath, parsePath } from './config-path.js';
import { readText } from './read-text.js';
import { schemaAt } from './schema-at.js';

/** Reads `--set path=value` flags, in order. */
export function readSetFlags(flags: readonly string[]): {
  readonly assignments: readonly Assignment[];
  readonly faults: readonly ConfigFault[];
} {
  const assignments: Assignment[] = [];
  const faults: ConfigFault[] = [];
  for (const flag of flags) {
    const parsed = parsePath(flag);
    if (parsed === undefined || !parsed.rest.startsWith('=')) {
      const where = `--set ${flag.split('=', 1)[0] ?? ''}`;
      faults.push({ file: null, where, path: '', message: 'not an assignment', expected: 'path=value' });
      continue;
    }
    const { path, rest } = parsed;
    assignments.push({
      path,
      value: readText(rest.slice(1), schemaAt(path)),
      source: { from: 'flag', where: `--set ${formatPath(path)}` },
    });
  }
  return { assignments, faults };
}
