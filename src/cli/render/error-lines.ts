import { messageOf, RllmError } from '../../errors.js';
import type { Paint } from '../paint.js';

export interface ErrorStyle {
  readonly paint: Paint;
  /** Show stacks: for those who look for the place in the code. */
  readonly verbose: boolean;
}

/**
 * What a person is told about a failure: code and message, what caused it, what to do. The stack only on demand.
 * Anything but a coded error is a fault of the SDK or of a plugin, and says so.
 */
export function errorLines(thrown: unknown, { paint, verbose }: ErrorStyle): readonly string[] {
  const coded = RllmError.isInstance(thrown);
  const title = coded ? `error ${thrown.code}` : 'error';
  const [first = '', ...more] = messageOf(thrown).split('\n');
  const lines = [`${paint('red', title)}  ${first}`, ...outdented(more).map((line) => `  ${line}`)];
  if (coded) {
    lines.push(
      ...causes(thrown).map((cause) => `  cause: ${cause}`),
      `${paint('cyan', 'fix')}  ${thrown.fix}`,
    );
  } else {
    lines.push('This is a bug in rllm-sdk or in a plugin; please report it.');
  }
  if (verbose) lines.push(...stackLines(thrown, paint));
  else if (!coded) lines.push('Run again with --verbose to see where it comes from.');
  return lines;
}

/** Without the indent of the first of them: what points at a place in the line above it stays below that. */
function outdented(lines: readonly string[]): readonly string[] {
  const indent = indentOf(lines[0] ?? '');
  return lines.map((line) => line.slice(Math.min(indent, indentOf(line))));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Messages of the causes, outermost first, without those that a message before holds already. */
function causes(thrown: Error): readonly string[] {
  const found: string[] = [];
  const seen = new Set<unknown>([thrown]);
  let told = thrown.message;
  for (let cause = thrown.cause; cause !== undefined && cause !== null && !seen.has(cause); ) {
    seen.add(cause);
    const [message = ''] = messageOf(cause).split('\n');
    if (message !== '' && !told.includes(message)) found.push(message);
    told += message;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return found;
}

function stackLines(thrown: unknown, paint: Paint): readonly string[] {
  const lines: string[] = [];
  const seen = new Set<unknown>();
  for (let error = thrown; error instanceof Error && !seen.has(error); error = error.cause) {
    seen.add(error);
    const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
    lines.push(paint('dim', `${seen.size === 1 ? 'stack' : 'caused by'}: ${error.message.split('\n')[0]}`));
    lines.push(...stack.map((line) => paint('dim', line)));
  }
  return lines;
}
