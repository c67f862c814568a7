import { messageOf, RllmError } from '../errors.js';
import type { CommonOptions } from './options.js';
import type { Environment } from './paint.js';
import { errorLines } from './render/error-lines.js';
import { openScreen } from './screen.js';
import { writeEvent } from './write-event.js';

/** Tells a person on stderr, and a program on stdout when it asked for JSON, why a command failed. Returns the exit code. */
export function reportFailure(thrown: unknown, options: CommonOptions): number {
  const env: Environment = process.env;
  const { paint, write } = openScreen(process.stderr, env, options);
  const verbose = options.verbose === true || env.DEBUG === 'rllm';
  for (const line of errorLines(thrown, { paint, verbose })) write(`${line}\n`);
  if (options.json === true) writeEvent(failureEvent(thrown));
  return RllmError.isInstance(thrown) ? thrown.exitCode : 1;
}

/** What a program is told of it. */
export function failureEvent(thrown: unknown): Readonly<Record<string, unknown>> {
  const message = messageOf(thrown);
  if (!RllmError.isInstance(thrown)) return { event: 'error', code: 'UNEXPECTED', message };
  const { faults } = thrown.details;
  return {
    event: 'error',
    code: thrown.code,
    message,
    fix: thrown.fix,
    ...(Array.isArray(faults) ? { faults } : {}),
  };
}
