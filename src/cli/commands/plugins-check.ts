import { messageOf, RllmError } from '../../errors.js';
import type { CommonOptions } from '../options.js';
import { checkPluginPath } from '../plugin-check/check-plugin-path.js';
import { severityOf } from '../plugin-check/check-rules.js';
import { openScreen } from '../screen.js';

export interface CheckOptions extends CommonOptions {
  /** JSON. */
  readonly options?: string;
}

/** `rllm plugins check`: a line for each finding, as linters have it. Returns 1 when one of them is an error. */
export async function checkPlugin(options: CheckOptions, [path = '']: readonly string[]): Promise<number> {
  const { plugin, findings } = await checkPluginPath(path, readOptions(options.options));
  const rows = findings.map((finding) => ({ severity: severityOf(finding), ...finding }));
  const errors = rows.filter(({ severity }) => severity === 'error').length;
  const warnings = rows.length - errors;
  const code = errors > 0 ? 1 : 0;
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ path, plugin, findings: rows, errors, warnings })}\n`);
    return code;
  }
  const { paint, write } = openScreen(process.stdout, process.env, options);
  const width = Math.max(0, ...rows.map(({ rule }) => rule.length));
  for (const { severity, rule, message, file } of rows) {
    const [first = '', ...more] = message.split('\n');
    const label = paint(severity === 'error' ? 'red' : 'yellow', severity.padEnd(5));
    write(`${label}  ${rule.padEnd(width)}  ${first}  ${paint('dim', `(${file})`)}\n`);
    for (const line of more) write(`       ${''.padEnd(width)}  ${line}\n`);
  }
  const name =
    plugin === null ? path : `${plugin.name}${plugin.version === null ? '' : `@${plugin.version}`}`;
  write(`${name}: ${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}\n`);
  return code;
}

function countOf(n: number, what: string): string {
  return n === 1 ? `1 ${what}` : `${n === 0 ? 'no' : n} ${what}s`;
}

/** @throws RllmError USAGE */
function readOptions(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  let value: unknown;
  let cause: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    cause = thrown;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  const why = cause === undefined ? `${JSON.stringify(value)} is none` : messageOf(cause);
  throw new RllmError('USAGE', `--options takes a JSON object: ${why}.`, { cause });
}
