import { configError, formatPath, redact, type ValueSource } from '../../config/index.js';
import type { Json } from '../../types/index.js';
import { nearPath } from '../invocation.js';
import type { ConfigOptions } from '../options.js';
import { readConfig } from '../read-config.js';
import { tableLines } from '../render/table-lines.js';
import { openScreen } from '../screen.js';

/** `rllm config print`: every value with where it comes from; secrets are hidden. Plugins are not loaded. */
export async function printConfig(options: ConfigOptions): Promise<number> {
  const loaded = await readConfig(options, false);
  if (loaded.faults.length > 0) throw configError(loaded.faults);
  const config = redact(loaded.config, loaded);
  if (options.json === true) {
    const { file, sources } = loaded;
    process.stdout.write(`${JSON.stringify({ file, config, sources })}\n`);
    return 0;
  }
  const screen = openScreen(process.stdout, process.env, options);
  const rows = leavesOf(config).map(([path, value]) => {
    const text = formatPath(path);
    return [text, JSON.stringify(value), placeText(loaded.sources[text])];
  });
  for (const line of tableLines(['PATH', 'VALUE', 'FROM'], rows, screen.paint)) screen.write(`${line}\n`);
  return 0;
}

/** Every value that holds no other, with its path; an empty list or section is one too. */
function leavesOf(
  value: Json,
  path: readonly string[] = [],
): readonly (readonly [readonly string[], Json])[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return [[path, value]];
  return entries.flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

function placeText(source: ValueSource | undefined): string {
  if (source === undefined || source.from === 'default') return 'default';
  if (source.from !== 'file') return source.where;
  const file = nearPath(source.where, process.cwd());
  return source.line === undefined ? file : `${file}:${source.line}`;
}
